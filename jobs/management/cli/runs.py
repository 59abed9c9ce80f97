"""``jobs runs``: the newest runs, of one job or of all."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any

from django.db.models import QuerySet

from jobs import clock
from jobs.documents import run_document
from jobs.domain.messages import RunKey
from jobs.domain.states import RunStatus
from jobs.errors import NotFoundError
from jobs.management.cli import remote
from jobs.management.cli.arguments import add_json, find_job, rows
from jobs.management.cli.output import Output
from jobs.models import JobRun
from jobs.store.clock import database_now

if TYPE_CHECKING:
    from jobs.client import Client

HELP = "list the newest runs"
_EVER = datetime(1970, 1, 1, tzinfo=UTC)
_COLUMNS = ("run", "job", "status", "attempts", "scheduled_for", "started_at", "finished_at")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("name", nargs="?", help="of this job only")
    parser.add_argument("--status", choices=[status.value for status in RunStatus], type=str)
    parser.add_argument("--limit", type=rows, default=20, help="at most so many (20)")
    parser.add_argument("--days", type=rows, help="look so far back; with --status and no job: 1")


def handle(options: dict[str, Any], out: Output) -> None:
    runs = list(_query(options)[: options["limit"]])
    rows = [[getattr(run, column, None) for column in ("key", *_COLUMNS[1:])] for run in runs]
    _write([run_document(run) for run in runs], rows, out)


def handle_remote(options: dict[str, Any], client: Client, out: Output) -> None:
    asked = client.runs(
        options["name"], status=options["status"], since=_since(options), page_size=min(options["limit"], 1_000)
    )
    runs = list(islice(asked, options["limit"]))
    rows = [[getattr(run, column) for column in _COLUMNS] for run in runs]
    _write([remote.run_document(run) for run in runs], rows, out)


def _write(documents: list[dict[str, Any]], rows: Sequence[Sequence[object]], out: Output) -> None:
    if out.is_json:
        for document in documents:
            out.json(document)
    elif rows:
        out.table(_COLUMNS, rows)
    else:
        out.note("There are no such runs here.")


def _since(options: dict[str, Any]) -> datetime | None:
    """The server looks at all runs of a job, but at one day of all jobs, unless told otherwise."""
    if options["days"]:
        return clock.utcnow() - timedelta(days=min(options["days"], (clock.utcnow() - _EVER).days))
    return None if options["name"] or options["status"] else _EVER


def get_run(key: RunKey) -> JobRun:
    """The run of a key."""
    run = JobRun.objects.filter(job_id=key.job_id, scheduled_for=key.scheduled_for).select_related("job").first()
    if run is None:
        raise NotFoundError(f"There is no run {key}: it never was, or it is older than the retention time.")
    return run


def _query(options: dict[str, Any]) -> QuerySet[JobRun]:
    """Each order is an index's: a job's by slot, all jobs' by when they were made."""
    runs = JobRun.objects.select_related("job").defer("log", "errors")
    if options["name"]:
        runs = runs.filter(job=find_job(options["name"])).order_by("-scheduled_for")
    else:
        runs = runs.order_by("-id")
    if options["status"]:
        runs = runs.filter(status=options["status"])
    # A rare status over all jobs has no index: look at a day of them only, unless told otherwise.
    days = options["days"] or (1 if options["status"] and not options["name"] else None)
    return runs.filter(scheduled_for__gt=database_now() - timedelta(days=days)) if days else runs
