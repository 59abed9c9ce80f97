"""What people ask for: run now, cancel, archive, resume. Transactions are the callers'."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from jobs.domain.messages import RunKey
from jobs.domain.states import RunStatus
from jobs.store.days import whole_days
from jobs.store.statement import Statement

_LOCK_LIVING = Statement("lock_living_job")
_FREE = Statement("free_instant")
_CANCEL = Statement("cancel_runs")
_CANCEL_OF_JOB = Statement("cancel_queued_of_job")
_REOPEN = Statement("reopen_pause")


def lock_living_job(job_id: int) -> bool:
    """Keep a job from being archived until the transaction ends; False when it is archived or gone."""
    return bool(_LOCK_LIVING.rows(job_id=job_id))


def free_instant(job_id: int, taken: datetime) -> datetime:
    """The first free instant of a job behind the runs that crowd the second of ``taken``."""
    below = taken.replace(microsecond=0) + timedelta(seconds=1)
    free: datetime = _FREE.rows(job_id=job_id, wanted=taken, below=below)[0].free
    return free


def cancel_runs(keys: Sequence[RunKey], *, note: str) -> dict[RunKey, RunStatus]:
    """End queued runs, ask running ones to end; the status after, without those that were finished or never were."""
    if not keys:
        return {}
    slots = [key.scheduled_for for key in keys]
    rows = _CANCEL.rows(job_ids=[key.job_id for key in keys], slots=slots, note=note, **whole_days(slots))
    return {RunKey(row.job_id, row.scheduled_for): RunStatus(row.status) for row in rows}


def cancel_queued_of_job(job_id: int, *, note: str) -> int:
    """End all queued runs of a job; how many."""
    return _CANCEL_OF_JOB.run(job_id=job_id, note=note)


def reopen_pause(job_id: int, *, schedule_fields: Sequence[str]) -> datetime | None:
    """Take back the pause that this transaction has ended; where the cursor stands then, None without a pause."""
    rows = _REOPEN.rows(job_id=job_id, fields=list(schedule_fields))
    return rows[0].plan_from if rows else None
