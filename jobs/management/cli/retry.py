"""``jobs retry``: queue a dead run anew."""

from __future__ import annotations

import argparse
from typing import Any

from jobs.management.cli.arguments import add_json, run_key
from jobs.management.cli.documents import run_document
from jobs.management.cli.output import Output
from jobs.management.cli.runs import get_run
from jobs.services.replay import replay

HELP = "queue a dead run again, under the same key"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("run", metavar="RUN_KEY")


def handle(options: dict[str, Any], out: Output) -> None:
    key = run_key(options["run"])
    replay(key)
    run = get_run(key)
    if out.is_json:
        out.json(run_document(run))
    else:
        out.line(f"{key} is queued again; up to {run.max_attempts - run.attempts} more attempts.")
