"""The attempts of a run as a timeline, oldest first: the recorded errors, replays, and the attempt that left none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.utils.safestring import SafeString

from jobs.admin import formats
from jobs.domain.outcomes import Kind
from jobs.domain.policies import Delivery
from jobs.domain.states import RunStatus
from jobs.models import JobRun

_WORDS: dict[str, str] = {
    Kind.RETRY: "asked to be retried",
    Kind.REQUEUED: "gave itself back",
    Kind.REJECTED: "failed for good",
    Kind.INTERRUPTED: "cut off by the worker's stop",
    Kind.IGNORED: "succeeded, result ignored",
}
_MARKS: dict[str, str] = {
    Kind.CANCELLED: "cancelled",
    Kind.MISSED: "missed",
    Kind.IGNORED: "succeeded",
    "replayed": "queued",
}


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """One attempt, or what happened between two: that has no number. ``mark`` is a status: it colours the row.

    Starts of earlier attempts are not kept.
    """

    number: str
    mark: str
    words: str
    started: SafeString | str = ""
    ended: SafeString | str = ""
    took: str = ""
    type: str = ""
    message: str = ""
    traceback: str = ""


def timeline(run: JobRun, now: datetime) -> list[AttemptRow]:
    """Every attempt that is known of; the next one too when it has its time."""
    rows = [_recorded(entry, run) for entry in run.errors or [] if isinstance(entry, dict)]
    if rows and run.started_at and run.status != RunStatus.RUNNING and rows[-1].number == str(run.attempts):
        rows[-1] = _with_start(rows[-1], run)
    return [*rows, *_unrecorded(run, now, {row.number for row in rows})]


def _recorded(entry: dict[str, Any], run: JobRun) -> AttemptRow:
    kind = str(entry.get("kind", ""))
    at = read_instant(entry.get("at"))
    return AttemptRow(
        number=str(entry.get("attempt", "")),
        mark=_MARKS.get(kind, "dead"),
        words=_words(kind, by=str(entry.get("by") or "")),
        ended=formats.instant(at, run.job.timezone) if at else "",
        type=str(entry.get("type") or ""),
        message=str(entry.get("message") or ""),
        traceback=str(entry.get("traceback") or ""),
    )


def _words(kind: str, *, by: str) -> str:
    words = _WORDS.get(kind, kind.replace("_", " "))
    return f"{words} by {by}" if by else words


def _with_start(row: AttemptRow, run: JobRun) -> AttemptRow:
    took = run.finished_at - run.started_at if run.finished_at and run.started_at else None
    started = formats.instant(run.started_at, run.job.timezone)
    return replace(row, started=started, took=formats.duration(took) if took else "")


def _unrecorded(run: JobRun, now: datetime, known: set[str]) -> Iterator[AttemptRow]:
    number, zone = str(run.attempts), run.job.timezone
    started = formats.instant(run.started_at, zone) if run.started_at else ""
    if run.status == RunStatus.RUNNING:
        yield _running(run, now)
    elif run.status == RunStatus.SUCCEEDED and number not in known:
        took = formats.duration(run.finished_at - run.started_at) if run.started_at and run.finished_at else ""
        yield AttemptRow(number, "succeeded", "succeeded", started, formats.instant(run.finished_at, zone), took)
    elif run.status == RunStatus.QUEUED and run.run_after > now:
        yield AttemptRow(str(run.attempts + 1), "queued", f"starts {formats.relative(run.run_after, now)}")


def _running(run: JobRun, now: datetime) -> AttemptRow:
    """Its start is written at the next heartbeat, later than its message was sent; until then it may not be counted."""
    start = run.started_at if run.started_at and run.dispatched_at and run.started_at >= run.dispatched_at else None
    is_counted = start or run.losses or run.job.delivery == Delivery.AT_MOST_ONCE
    return AttemptRow(
        number=str(run.attempts if is_counted else run.attempts + 1),
        mark="running",
        words="running",
        started=formats.instant(start, run.job.timezone) if start else "",
        took=f"{formats.duration(now - start)} so far" if start else "",
    )


def read_instant(value: Any) -> datetime | None:
    """A time as an attempt's record has it; None where it is none."""
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return moment if moment.tzinfo else None
