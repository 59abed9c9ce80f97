"""Plan jobs: find when the leader looks at each next. From read to write the cursor's lock is held."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from jobs import log
from jobs.domain.bounds import bounded_text
from jobs.domain.planning import PlannedJob, next_look
from jobs.errors import InvalidScheduleError
from jobs.store.cursors import CursorStep, lock_unplanned, set_cursors
from jobs.store.planned_jobs import planned_jobs
from jobs.store.terms import Term, fence

BATCH = 1000
_LONGEST_REASON = 2000


def plan_waiting(term: Term, *, batch: int = BATCH) -> int:
    """Plan jobs that wait for it; returns how many. The first slot is sought after the last one accounted for.

    An edit that comes meanwhile waits for the cursor's lock and then asks for planning again: it wins.
    """
    with transaction.atomic():
        fence(term)
        cursors = lock_unplanned(term.shard, batch=batch)
        if cursors:
            jobs = planned_jobs(cursors)
            set_cursors([_planned(jobs[job_id], accounted) for job_id, accounted in cursors.items()])
    return len(cursors)


def _planned(job: PlannedJob, accounted: datetime) -> CursorStep:
    try:
        return CursorStep(job.job_id, next_look(job, accounted))
    except Exception as error:  # whatever a definition written past all checks can raise parks that job alone
        return CursorStep(job.job_id, None, error=parking_reason(job, error))


def parking_reason(job: PlannedJob, error: Exception) -> str:
    """Why a job is parked until someone edits it; never empty."""
    text = str(error) if isinstance(error, InvalidScheduleError) else f"{type(error).__name__}: {error}"
    reason = bounded_text(text, _LONGEST_REASON)
    log.warning("job.parked", job=job.job_id, error=reason)
    return reason
