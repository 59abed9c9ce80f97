"""``jobs cancel``"""

from __future__ import annotations

import argparse
from typing import Any

from jobs.domain.states import RunStatus
from jobs.management.cli.arguments import add_json, run_key
from jobs.management.cli.documents import run_document
from jobs.management.cli.output import Output
from jobs.management.cli.runs import get_run
from jobs.services.cancel import cancel

HELP = "cancel a queued run, or ask a running one to end"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("run", metavar="RUN_KEY")


def handle(options: dict[str, Any], out: Output) -> None:
    key = run_key(options["run"])
    status = cancel(key)
    if out.is_json:
        out.json(run_document(get_run(key)))
    elif status is RunStatus.RUNNING:
        out.line(f"{key} is running; its worker has been asked to end it.")
    else:
        out.line(f"{key} is {status}.")
