"""``jobs pause``"""

from __future__ import annotations

import argparse
from typing import Any

from jobs.management.cli.arguments import add_json, find_job, instant
from jobs.management.cli.documents import job_summary
from jobs.management.cli.output import Output
from jobs.services.pause import pause
from jobs.store.clock import database_now

HELP = "stop making runs of a job"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("name")
    parser.add_argument("--until", type=instant, metavar="ISO", help="resume by itself at this time")
    parser.add_argument("--reason", default="", help="why; shown with the job")


def handle(options: dict[str, Any], out: Output) -> None:
    job = find_job(options["name"])
    pause(job, until=options["until"], reason=options["reason"])
    if out.is_json:
        out.json(job_summary(job, database_now()))
    else:
        until = f" until {options['until'].isoformat()}" if options["until"] else ""
        out.line(f"{job.name} is paused{until}. Runs that are queued or running go on.")
