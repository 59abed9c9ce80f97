"""``manage.py jobs VERB``. Exit 0: done; 1: refused, with one line on stderr; 2: wrong usage."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import OperationalError

from jobs.errors import BeatkeeperError
from jobs.management.cli.output import Output, printable

VERBS = ("list", "show", "preview", "run", "runs", "pause", "resume", "retry", "cancel", "dead", "dead-letters")


class Command(BaseCommand):
    """Each verb is a module of ``jobs.management.cli``."""

    help = "Look at jobs and runs and act on them."
    # `preview --cron` and `--stdin` need no database and should start at once.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
        for name in VERBS:
            module = _verb(name)
            module.add_arguments(verbs.add_parser(name, help=module.HELP, description=module.__doc__))

    def handle(self, *_: Any, **options: Any) -> None:
        out = Output(self.stdout, self.stderr, is_json=options["json"])
        try:
            _verb(options["verb"]).handle(options, out)
            out.flush()
        except BeatkeeperError as error:
            self._refuse(str(error))
        except OperationalError as error:
            self._refuse(f"The database did not do its part: {error}")
        except BrokenPipeError:  # the reader, such as `head`, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def _refuse(self, why: str) -> None:
        self.stderr.write(printable(" ".join(why.split())))
        raise SystemExit(1)


def _verb(name: str) -> ModuleType:
    return import_module(f"jobs.management.cli.{name.replace('-', '_')}")
