"""``jobs pause``"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from jobs.documents import job_summary
from jobs.management.cli import remote
from jobs.management.cli.arguments import add_json, find_job, instant
from jobs.management.cli.output import Output
from jobs.services.pause import pause
from jobs.store.clock import database_now

if TYPE_CHECKING:
    from jobs.client import Client

HELP = "stop making runs of a job"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("name")
    parser.add_argument("--until", type=instant, metavar="ISO", help="resume by itself at this time")
    parser.add_argument("--reason", default="", help="why; shown with the job")


def handle(options: dict[str, Any], out: Output) -> None:
    job = find_job(options["name"])
    pause(job, until=options["until"], reason=options["reason"])
    _tell(job_summary(job, database_now()), options, out)


def handle_remote(options: dict[str, Any], client: Client, out: Output) -> None:
    job = client.pause(options["name"], until=options["until"], reason=options["reason"])
    _tell(remote.job_summary(job), options, out)


def _tell(summary: dict[str, Any], options: dict[str, Any], out: Output) -> None:
    if out.is_json:
        out.json(summary)
    else:
        until = f" until {options['until'].isoformat()}" if options["until"] else ""
        out.line(f"{summary['name']} is paused{until}. Runs that are queued or running go on.")
