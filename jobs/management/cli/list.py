"""``jobs list``"""

from __future__ import annotations

import argparse
from itertools import islice
from typing import TYPE_CHECKING, Any

from jobs.documents import job_summary, target_in_words
from jobs.errors import CallerError
from jobs.management.cli import remote
from jobs.management.cli.arguments import add_json, rows, text
from jobs.management.cli.output import Output
from jobs.models import Job
from jobs.store.clock import database_now

if TYPE_CHECKING:
    from jobs.client import Client

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
    _write([job_summary(job, now) for job in found[:limit]], out)
    if len(found) > limit:
        out.note(f"More than {limit} jobs: see the rest with --after {found[limit - 1].name}, or raise --limit.")


def handle_remote(options: dict[str, Any], client: Client, out: Output) -> None:
    limit = options["limit"]
    if options["after"]:
        raise CallerError("--after does not go with --server: raise --limit instead.")
    found = [remote.job_summary(job) for job in islice(client.jobs(page_size=min(limit + 1, 1_000)), limit + 1)]
    _write(found[:limit], out)
    if len(found) > limit:
        out.note(f"More than {limit} jobs: see the rest with a higher --limit.")


def _write(summaries: list[dict[str, Any]], out: Output) -> None:
    if out.is_json:
        for summary in summaries:
            out.json(summary)
    elif summaries:
        lines = ({**summary, "target": target_in_words(summary)} for summary in summaries)
        out.table(_COLUMNS, ([line[column] for column in _COLUMNS] for line in lines))
    else:
        out.note("There are no jobs here.")
