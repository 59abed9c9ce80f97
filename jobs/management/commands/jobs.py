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
from jobs.management.cli import remote
from jobs.management.cli.output import Output, printable

VERBS = (
    *("list", "show", "preview", "run", "runs", "pause", "resume", "replay", "cancel", "dead", "dead-letters"),
    *("tokens", "reshard"),
)
_OTHER_NAMES = {"replay": ["retry"]}


class Command(BaseCommand):
    """Each verb is a module of ``jobs.management.cli``."""

    help = "Look at jobs and runs and act on them."
    # `preview --cron` and `--stdin` need no database and should start at once.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--server", metavar="URL", help=f"a server's API, with the token of {remote.TOKEN}")
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
        for name in VERBS:
            module = _verb(name)
            parsed = verbs.add_parser(
                name, aliases=_OTHER_NAMES.get(name, []), help=module.HELP, description=module.__doc__
            )
            module.add_arguments(parsed)
            parsed.set_defaults(verb=name)

    def handle(self, *_: Any, **options: Any) -> None:
        out = Output(self.stdout, self.stderr, is_json=options["json"])
        try:
            self._do(options, out)
            out.flush()
        except BeatkeeperError as error:
            self._refuse(str(error))
        except OperationalError as error:
            self._refuse(f"The database did not do its part: {error}")
        except BrokenPipeError:  # the reader, such as `head`, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def _do(self, options: dict[str, Any], out: Output) -> None:
        verb = _verb(options["verb"])
        if options["server"] is None:
            verb.handle(options, out)
            return
        remote.refuse_local(options["verb"], verb)
        with remote.open_client(options["server"]) as client:
            verb.handle_remote(options, client, out)

    def _refuse(self, why: str) -> None:
        self.stderr.write(printable(" ".join(why.split())))
        raise SystemExit(1)


def _verb(name: str) -> ModuleType:
    return import_module(f"jobs.management.cli.{name.replace('-', '_')}")
