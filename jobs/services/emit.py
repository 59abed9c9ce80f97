"""Emit: turn due slots into runs and gaps, and advance the cursors, in one transaction.

Each transaction holds the term's row and the due cursors. It commits whole, or leaves the cursors where they were and
the next one finds the same slots due. The day partitions of all slots within retention exist beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from jobs import log
from jobs.conf import config
from jobs.domain.emission import Accounting, Emission
from jobs.domain.planning import PlannedJob
from jobs.domain.policies import ConcurrencyPolicy
from jobs.services.emitted_runs import insert_emitted
from jobs.services.plan import parking_reason
from jobs.services.retention import retention_floor
from jobs.store.clock import database_now
from jobs.store.cursors import CursorStep, lock_due, overdue, set_cursors
from jobs.store.gaps import NewGap, insert_gaps
from jobs.store.planned_jobs import planned_jobs
from jobs.store.runs import held_jobs
from jobs.store.terms import Term, fence

BATCH = 1000
# A job that catches up on many slots ends the batch: the rest stays due, and the transaction stays short.
MOST_RUNS = 10_000
LOCKED_FOR = timedelta(seconds=10)
_LOCKED_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Emitted:
    """What one transaction did. ``cursors`` of 0: nothing was due that could be locked."""

    cursors: int = 0
    runs: int = 0


def emit_due(term: Term, *, now: datetime | None = None, batch: int = BATCH) -> Emitted:
    """Emit the due slots of up to ``batch`` jobs, earliest first; LeadershipLostError when the term is over.

    ``now`` is the database's time after the locks, unless a test sets it.
    """
    with transaction.atomic():
        fence(term)
        cursors = lock_due(term.shard, now=now, batch=batch)
        if not cursors:
            return Emitted()
        jobs = planned_jobs(cursors)
        emissions = list(_emissions(jobs, _replaceable(jobs, cursors), now or database_now()))
        insert_gaps([NewGap(due.job.job_id, due.job.version, gap) for due in emissions for gap in due.gaps])
        runs = insert_emitted(emissions)
        set_cursors([_step(due) for due in emissions])
    return Emitted(len(emissions), runs)


def _replaceable(jobs: Mapping[int, PlannedJob], cursors: Mapping[int, datetime]) -> Mapping[int, datetime]:
    """The cursors but those of jobs whose run is to be replaced while someone holds it: they stay due, and no other
    job waits for that lock."""
    held = held_jobs([job_id for job_id in cursors if jobs[job_id].concurrency_policy == ConcurrencyPolicy.REPLACE])
    return {job_id: at for job_id, at in cursors.items() if job_id not in held} if held else cursors


def _emissions(jobs: Mapping[int, PlannedJob], cursors: Mapping[int, datetime], now: datetime) -> Iterator[Emission]:
    accounting = Accounting(now=now, grace=timedelta(seconds=config().catch_up_grace), floor=retention_floor(now))
    runs = 0
    for job_id, accounted in cursors.items():
        job = jobs[job_id]
        try:
            due = accounting.emission(job, accounted)
        except Exception as error:  # whatever a definition written past all checks can raise parks that job alone
            due = Emission(job, None, error=parking_reason(job, error))
        yield due
        runs += len(due.slots)
        if runs >= MOST_RUNS:
            return


def _step(due: Emission) -> CursorStep:
    return CursorStep(due.job.job_id, due.next_run_at, due.last_slot, due.plan_from, due.error)


def report_locked(term: Term, *, now: datetime) -> int:
    """Log jobs that are due for over 10 s because someone holds their cursor; returns how many were seen."""
    held = overdue(term.shard, due_before=now - LOCKED_FOR, limit=_LOCKED_SHOWN)
    for cursor in held:
        log.warning("job.locked", job=cursor.name, due=cursor.next_run_at.isoformat())
    return len(held)
