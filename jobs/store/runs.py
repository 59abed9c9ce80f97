"""Insert runs and look at the unfinished ones. Transactions are the callers'."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from jobs.domain.messages import RunKey
from jobs.domain.states import RunStatus, Trigger
from jobs.store.arrays import array
from jobs.store.statement import Statement

_INSERT = Statement("insert_runs")
_OPEN = Statement("open_runs")
_HELD = Statement("held_jobs")
_LOCK = Statement("lock_cursors")


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run to insert. ``run_after`` becomes due_at; ``deadline_seconds`` from there gives start_by."""

    job_id: int
    scheduled_for: datetime
    run_after: datetime
    queue: str
    trigger: Trigger = Trigger.SCHEDULE
    status: RunStatus = RunStatus.QUEUED
    max_attempts: int = 5
    deadline_seconds: int | None = None
    priority: int = 0
    exclusive: bool = False
    replaces: datetime | None = None
    payload: dict[str, Any] | None = None
    last_error: str = ""
    webhook_id: int | None = None


@dataclass(frozen=True, slots=True)
class OpenRun:
    """An unfinished run of an exclusive job."""

    key: RunKey
    status: RunStatus
    cancel_requested_at: datetime | None


def insert_runs(runs: Sequence[NewRun]) -> set[RunKey]:
    """Insert what does not exist yet; returns the keys inserted. Their day partitions must exist."""
    return {RunKey(row.job_id, row.scheduled_for) for row in _INSERT.rows(**_columns(runs))} if runs else set()


def add_runs(runs: Sequence[NewRun]) -> int:
    """Like :func:`insert_runs`, but returns only how many: reading a thousand keys costs as much as the insert."""
    return _INSERT.run(**_columns(runs)) if runs else 0


def _columns(runs: Sequence[NewRun]) -> dict[str, str]:
    columns: dict[str, list[Any]] = {name: [getattr(run, name) for run in runs] for name in _COLUMNS}
    columns["payload"] = [None if run.payload is None else json.dumps(run.payload) for run in runs]
    return {name: array(values) for name, values in columns.items()}


_COLUMNS = tuple(NewRun.__dataclass_fields__)


def open_runs(job_ids: Sequence[int]) -> dict[int, list[OpenRun]]:
    """The unfinished runs of exclusive jobs by job, oldest slot first."""
    found: dict[int, list[OpenRun]] = defaultdict(list)
    for row in _OPEN.rows(job_ids=list(job_ids)) if job_ids else ():
        key = RunKey(row.job_id, row.scheduled_for)
        found[row.job_id].append(OpenRun(key, RunStatus(row.status), row.cancel_requested_at))
    return found


def held_jobs(job_ids: Sequence[int]) -> set[int]:
    """Lock the unfinished runs of exclusive jobs; returns those of which someone else holds one."""
    return {row.job_id for row in _HELD.rows(job_ids=list(job_ids))} if job_ids else set()


def lock_cursors(job_ids: Sequence[int]) -> None:
    """Hold the jobs' cursors until the transaction ends, in job order."""
    _LOCK.rows(job_ids=list(job_ids))


def ensure_days(slots: Iterable[datetime]) -> None:
    """Make the day partitions of these slots that are missing. Every insert outside the tick calls it first."""
    with connection.cursor() as cursor:
        for day in sorted({slot.date() for slot in slots}):
            cursor.execute("SELECT jobs_ensure_partitions(%s, %s)", [day, day])
