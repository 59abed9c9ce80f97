"""``jobs resume``"""

from __future__ import annotations

import argparse
from typing import Any

from jobs.domain.policies import CatchUp
from jobs.management.cli.arguments import add_json, find_job
from jobs.management.cli.documents import job_summary
from jobs.management.cli.output import Output
from jobs.services.resume import resume
from jobs.store.clock import database_now

HELP = "end a pause"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("name")
    parser.add_argument(
        "--catch-up",
        choices=[str(CatchUp.LATEST)],
        help="what the pause held back was missed: the job's own catch-up policy decides (default: go on from now)",
    )


def handle(options: dict[str, Any], out: Output) -> None:
    job = find_job(options["name"])
    resume(job, catch_up=options["catch_up"])
    if out.is_json:
        out.json(job_summary(find_job(job.name), database_now()))
    else:
        out.line(f"{job.name} goes on.")
