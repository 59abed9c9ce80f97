"""``jobs resume``"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from jobs.documents import job_summary
from jobs.domain.policies import CatchUp
from jobs.management.cli import remote
from jobs.management.cli.arguments import add_json, find_job
from jobs.management.cli.output import Output
from jobs.services.resume import resume
from jobs.store.clock import database_now

if TYPE_CHECKING:
    from jobs.client import Client

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
    _tell(job_summary(find_job(job.name), database_now()), out)


def handle_remote(options: dict[str, Any], client: Client, out: Output) -> None:
    _tell(remote.job_summary(client.resume(options["name"], catch_up=options["catch_up"])), out)


def _tell(summary: dict[str, Any], out: Output) -> None:
    if out.is_json:
        out.json(summary)
    else:
        out.line(f"{summary['name']} goes on.")
