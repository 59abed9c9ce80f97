"""Resume a paused job, from now on or from where its pause began."""

from __future__ import annotations

from django.db import transaction

from jobs import log
from jobs.domain.policies import CatchUp
from jobs.errors import ConflictError, InvalidFieldError
from jobs.models import Job
from jobs.models.job import SCHEDULE_FIELDS
from jobs.store.asked import reopen_pause


def resume(job: Job, *, catch_up: str | None = None) -> None:
    """End the pause. The slots it held back stay a gap; with ``latest`` they are missed slots for the job's policy."""
    if catch_up not in (None, CatchUp.LATEST):
        raise InvalidFieldError(
            "catch_up",
            f'catch_up "{catch_up}" cannot be asked for here. Allowed is latest: the job\'s own catch-up policy then '
            "decides what of the pause still runs. Leave it out to go on from now.",
        )
    with transaction.atomic():
        _end_pause(job)
        if catch_up:
            # The planning trigger has locked the cursor and written the pause's gap in this transaction.
            reopen_pause(job.pk, schedule_fields=SCHEDULE_FIELDS)
    job.refresh_from_db()
    log.event("job.resumed", job=job.name, catch_up=catch_up)


def _end_pause(job: Job) -> None:
    paused = Job.objects.living().filter(pk=job.pk, paused=True)
    if not paused.update(paused=False, paused_until=None, pause_reason=""):
        is_archived = Job.objects.filter(pk=job.pk, archived_at__isnull=False).exists()
        raise ConflictError(f'Job "{job.name}" is {"archived" if is_archived else "not paused"}; nothing to resume.')
