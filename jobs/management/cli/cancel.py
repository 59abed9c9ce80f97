"""``jobs cancel``"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from jobs.documents import run_document
from jobs.domain.states import RunStatus
from jobs.management.cli import remote
from jobs.management.cli.arguments import add_json, run_key
from jobs.management.cli.output import Output
from jobs.management.cli.runs import get_run
from jobs.services.cancel import cancel

if TYPE_CHECKING:
    from jobs.client import Client

HELP = "cancel a queued run, or ask a running one to end"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("run", metavar="RUN_KEY")


def handle(options: dict[str, Any], out: Output) -> None:
    key = run_key(options["run"])
    status = cancel(key)
    if out.is_json:
        out.json(run_document(get_run(key)))
    else:
        _tell(str(key), status, out)


def handle_remote(options: dict[str, Any], client: Client, out: Output) -> None:
    run = client.cancel(options["run"])
    if out.is_json:
        out.json(remote.run_document(run))
    else:
        _tell(run.run, run.status, out)


def _tell(key: str, status: str, out: Output) -> None:
    if status == RunStatus.RUNNING:
        out.line(f"{key} is running; its worker has been asked to end it.")
    else:
        out.line(f"{key} is {status}.")
