"""Lock cursors and move them on. Transactions are the callers'."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from jobs.store.arrays import array
from jobs.store.micros import from_micros
from jobs.store.statement import Statement

_LOCK_DUE = Statement("lock_due_cursors")
_LOCK_UNPLANNED = Statement("lock_unplanned_cursors")
_SET = Statement("set_cursors")
_OVERDUE = Statement("overdue_cursors")
_REPLAN = Statement("replan_cursors")
_MEND = Statement("mend_cursors")
_PLAN_IDLE = Statement("plan_idle_cursors")


@dataclass(frozen=True, slots=True)
class CursorStep:
    """A cursor's new state. None keeps ``last_slot`` and ``plan_from``; an error parks the job."""

    job_id: int
    next_run_at: datetime | None
    last_slot: datetime | None = None
    plan_from: datetime | None = None
    error: str = ""


class MendedStretch(NamedTuple):
    """The last job of a stretch, None at the end; the jobs whose cursors were made; by job that waits for nothing, the
    instant up to which its slots are accounted for."""

    last_job: int | None
    made: list[int]
    idle: dict[int, datetime]


_COLUMNS = tuple(CursorStep.__dataclass_fields__)


def lock_due(shard: int, *, now: datetime | None, batch: int) -> dict[int, datetime]:
    """Lock due cursors, earliest first: by job, the instant up to which its slots are accounted for."""
    return _accounted(_LOCK_DUE, shard=shard, now=now, batch=batch)


def lock_unplanned(shard: int, *, batch: int) -> dict[int, datetime]:
    """Lock cursors that wait for planning: by job, the instant up to which its slots are accounted for."""
    return _accounted(_LOCK_UNPLANNED, shard=shard, batch=batch)


def _accounted(lock: Statement, **params: Any) -> dict[int, datetime]:
    return {row.job_id: from_micros(row.accounted_us) for row in lock.rows(**params)}


def set_cursors(steps: Sequence[CursorStep]) -> None:
    """Write the steps of cursors whose locks are held."""
    if steps:
        _SET.run(**{name: array(getattr(step, name) for step in steps) for name in _COLUMNS})


def overdue(shard: int, *, due_before: datetime, limit: int) -> list[Any]:
    """Cursors due since before then: (job_id, name, next_run_at)."""
    return _OVERDUE.rows(shard=shard, due_before=due_before, limit=limit)


def mark_for_planning(*, after_job: int, batch: int) -> int | None:
    """Mark the next stretch of cursors with a slot ahead; returns its last job, None at the end."""
    last_job: int | None = _REPLAN.rows(after_job=after_job, batch=batch)[0].last_job
    return last_job


def mend(*, after_job: int, batch: int) -> MendedStretch:
    """Make the cursors that are missing in the next stretch of jobs, and name those that wait for nothing."""
    row = _MEND.rows(after_job=after_job, batch=batch)[0]
    return MendedStretch(row.last_job, row.made, dict(zip(row.idle, map(from_micros, row.accounted_us), strict=True)))


def plan_idle(job_ids: Sequence[int]) -> None:
    """Let these be planned, if they still wait for nothing."""
    if job_ids:
        _PLAN_IDLE.run(job_ids=list(job_ids))
