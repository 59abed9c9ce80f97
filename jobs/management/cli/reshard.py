"""``jobs reshard``: divide the jobs into another number of shards, while beats live."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from jobs.conf import config
from jobs.management.cli.arguments import add_json
from jobs.management.cli.output import Output
from jobs.services.reshard import reshard

HELP = "divide the jobs into N shards, for N beats that lead at once"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("shards", type=int, metavar="N", help='what BEATKEEPER["SHARDS"] is, or is to become')


def handle(options: dict[str, Any], out: Output) -> None:
    done = reshard(options["shards"])
    if out.is_json:
        out.json(asdict(done))
    else:
        before = "as before" if done.before == done.shards else f"{done.before} before"
        out.line(f"The jobs are divided into {done.shards} ({before}); {done.moved:,} were moved.")
    if not done.is_complete:
        out.note(
            "Some are held by open transactions. Beat moves them within ten minutes, or this command when they end."
        )
    if config().shards != done.shards:
        out.note(
            f'BEATKEEPER["SHARDS"] is {config().shards} here: set it to {done.shards} and start every beat again. '
            "One with another number stands by."
        )
