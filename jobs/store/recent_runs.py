"""The newest runs of each of some jobs, for lists and strips."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from jobs.domain.messages import RunKey
from jobs.domain.states import RunStatus, Trigger
from jobs.store.statement import Statement

_RECENT = Statement("recent_runs")


@dataclass(frozen=True, slots=True)
class RecentRun:
    """Which run, where it stands, and its times. ``error`` is the beginning of its last error."""

    key: RunKey
    status: RunStatus
    trigger: Trigger
    attempts: int
    max_attempts: int
    due_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    error: str

    @property
    def lateness(self) -> timedelta | None:
        """How long after it was due its only attempt started; later attempts leave no trace of that."""
        return self.started_at - self.due_at if self.started_at and self.attempts <= 1 else None

    @property
    def took(self) -> timedelta | None:
        """How long its last attempt took, once it has ended."""
        return self.finished_at - self.started_at if self.started_at and self.finished_at else None


def recent_runs(job_ids: Sequence[int], *, each: int) -> dict[int, list[RecentRun]]:
    """By job, newest first, at most ``each`` of a job; jobs that never ran are left out."""
    found: dict[int, list[RecentRun]] = defaultdict(list)
    for row in _RECENT.rows(job_ids=list(job_ids), each=each) if job_ids else []:
        key, status, trigger = RunKey(row.job_id, row.scheduled_for), RunStatus(row.status), Trigger(row.trigger)
        found[row.job_id].append(RecentRun(key, status, trigger, *row[4:]))
    return dict(found)
