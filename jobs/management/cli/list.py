"""``jobs list``"""

from __future__ import annotations

import argparse
from typing import Any

from jobs.management.cli.arguments import add_json, rows, text
from jobs.management.cli.documents import job_summary, target_in_words
from jobs.management.cli.output import Output
from jobs.models import Job
from jobs.store.clock import database_now

HELP = "list the jobs by name"
_COLUMNS = ("name", "state", "next", "schedule", "target")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("--limit", type=rows, default=100, help="at most so many (100)")
    parser.add_argument("--after", type=text, default="", metavar="NAME", help="go on behind this name")


def handle(options: dict[str, Any], out: Output) -> None:
    """Bounded by the limit, whatever the number of jobs: the index of living names gives the order."""
    limit = options["limit"]
    jobs = Job.objects.living().filter(name__gt=options["after"]).select_related("cursor", "endpoint").order_by("name")
    found = list(jobs[: limit + 1])
    now = database_now()
    summaries = [job_summary(job, now) for job in found[:limit]]
    if out.is_json:
        for summary in summaries:
            out.json(summary)
    elif summaries:
        lines = ({**summary, "target": target_in_words(summary)} for summary in summaries)
        out.table(_COLUMNS, ([line[column] for column in _COLUMNS] for line in lines))
    else:
        out.note("There are no jobs here.")
    if len(found) > limit:
        out.note(f"More than {limit} jobs: see the rest with --after {found[limit - 1].name}, or raise --limit.")
