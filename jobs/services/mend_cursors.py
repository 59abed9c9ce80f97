"""Mend the cursors that nothing would ever look at again, whoever left them so."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from jobs import log
from jobs.domain.planning import PlannedJob, next_look
from jobs.store import cursors
from jobs.store.planned_jobs import planned_jobs

BATCH = 2000


def mend_cursors() -> int:
    """Let jobs without a cursor, and active jobs that wait for nothing and have slots ahead, be planned; returns how
    many. A stretch of jobs a statement, each its own transaction."""
    total = 0
    last_job: int | None = 0
    while last_job is not None:
        stretch = cursors.mend(after_job=last_job, batch=BATCH)
        lost = _lost(stretch.idle)
        cursors.plan_idle(lost)
        for job_id in stretch.made + lost:
            log.warning("cursor.mended", job=job_id)
        last_job, total = stretch.last_job, total + len(stretch.made) + len(lost)
    return total


def _lost(idle: Mapping[int, datetime]) -> list[int]:
    """Those whose schedules are not over."""
    if not idle:
        return []
    jobs = planned_jobs(idle)
    return [job_id for job_id, accounted in idle.items() if job_id in jobs and _goes_on(jobs[job_id], accounted)]


def _goes_on(job: PlannedJob, accounted: datetime) -> bool:
    try:
        return next_look(job, accounted) is not None
    except Exception:  # planning parks it, and says why
        return True
