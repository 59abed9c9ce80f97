"""Pause a job: its slots become a gap until it is resumed or the pause has passed."""

from __future__ import annotations

from datetime import datetime

from jobs import log
from jobs.domain.json_value import text_fault
from jobs.errors import ConflictError, InvalidFieldError
from jobs.models import Job
from jobs.store.clock import database_now

MAX_REASON_LENGTH = 1000


def pause(job: Job, *, until: datetime | None = None, reason: str = "") -> None:
    """Stop emitting slots of the job; queued and running runs go on. Pausing anew replaces end and reason."""
    _check(until, reason)
    changed = Job.objects.living().filter(pk=job.pk).update(paused=True, paused_until=until, pause_reason=reason)
    if not changed:
        raise ConflictError(f'Job "{job.name}" is archived and cannot be paused.')
    job.refresh_from_db()
    log.event("job.paused", job=job.name, until=until)


def _check(until: datetime | None, reason: str) -> None:
    if until is not None and until.utcoffset() is None:
        raise InvalidFieldError("until", f"until {until} has no offset from UTC. Add one, for example +00:00.")
    if until is not None and until <= database_now():
        raise InvalidFieldError("until", f"until {until} has passed. Choose a later time, or none for no end.")
    if problem := text_fault(reason):
        raise InvalidFieldError("reason", f"The reason {problem}")
    if len(reason) > MAX_REASON_LENGTH:
        raise InvalidFieldError(
            "reason", f"The reason has {len(reason):,} characters; {MAX_REASON_LENGTH:,} are allowed. Shorten it."
        )
