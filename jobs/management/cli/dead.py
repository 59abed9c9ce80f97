"""``jobs dead``: dead runs by their error, or the runs of one such group with the errors of each attempt."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from jobs.documents import iso, run_document
from jobs.domain.masking import mask_json, mask_text
from jobs.management.cli.arguments import add_json, error_group, instant, rows
from jobs.management.cli.output import Output, shown
from jobs.models import JobRun
from jobs.store import dead
from jobs.store.clock import database_now
from jobs.store.dead import DeadGroup, Window

HELP = "list dead runs grouped by their error, or the runs of one group"
_COLUMNS = ("group", "runs", "jobs", "last_at", "error")
_ERROR_WIDTH = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("--group", type=error_group, metavar="HEX", help="the runs of this group, newest first")
    parser.add_argument("--since", type=instant, metavar="ISO", help="slots from this day on (the last 7 days)")
    parser.add_argument("--limit", type=rows, default=20, help="at most so many groups or runs (20)")


def handle(options: dict[str, Any], out: Output) -> None:
    now = database_now()
    since = options["since"]
    window = Window.from_day_of(since, now=now) if since else Window.of_days(dead.DEFAULT_DAYS, now=now)
    if options["group"]:
        _write_runs(options["group"], window, options["limit"], out)
    else:
        _write_groups(window, options["limit"], out)


def _write_groups(window: Window, limit: int, out: Output) -> None:
    names = dead.group_names(window)
    documents = [_document(group) for group in dead.describe(names[:limit], window)]
    if out.is_json:
        for document in documents:
            out.json(document)
    elif documents:
        out.table(_COLUMNS, ([_cell(document, column) for column in _COLUMNS] for document in documents))
    else:
        out.note(f"No run with a slot since {shown(window.since)} is dead.")
    if len(names) > limit:
        over = "over " if len(names) == dead.MOST_GROUPS else ""
        out.note(f"{over}{len(names):,} groups: see more with --limit, or choose a later --since.")


def _document(group: DeadGroup) -> dict[str, Any]:
    is_capped = group.runs >= dead.COUNT_CAP
    return {
        "group": group.group,
        "error": mask_text(group.error),
        "runs": min(group.runs, dead.COUNT_CAP - 1),
        "is_capped": is_capped,
        "jobs": group.jobs,
        "first_at": iso(group.first_at),
        "last_at": iso(group.last_at),
        "newest": str(group.newest),
    }


def _cell(document: dict[str, Any], column: str) -> object:
    if column == "runs":
        return f"{'over ' if document['is_capped'] else ''}{document['runs']:,}"
    return document[column][:_ERROR_WIDTH].strip() if column == "error" else document[column]


def _write_runs(group: str, window: Window, limit: int, out: Output) -> None:
    runs = list(dead.dead_runs(group, window).select_related("job").defer("log")[: limit + 1])
    for run in runs[:limit]:
        if out.is_json:
            out.json({**run_document(run), "last_error": mask_text(run.last_error), "errors": _errors(run)})
        else:
            out.line(f"{run.key}  {run.job.name}  {run.attempts} attempts  died {shown(run.finished_at)}")
            for line in _lines(run):
                out.line(line)
    if not runs:
        out.note(f"Group {group} has no dead run with a slot since {shown(window.since)}.")
    if len(runs) > limit:
        out.note(f"More than {limit} runs: raise --limit. `jobs replay --group {group}` replays all.")


def _errors(run: JobRun) -> Any:
    return mask_json(run.errors)


def _lines(run: JobRun) -> Iterator[str]:
    """The errors as they came; what only ``last_error`` knows stands alone."""
    entries = [entry for entry in _errors(run) if isinstance(entry, dict)]
    if not entries:
        yield f"    {mask_text(run.last_error)}"
    for entry in entries:
        error = ": ".join(str(entry[name]) for name in ("type", "message") if entry.get(name))
        yield f"    {entry.get('attempt', '')} {entry.get('kind', '')}  {error or entry.get('by', '')}".rstrip()
