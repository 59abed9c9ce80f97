"""Archive a job: it leaves the living, its history stays."""

from __future__ import annotations

from django.db import transaction
from django.db.models.functions import Now

from jobs import log
from jobs.errors import ConflictError
from jobs.models import Job
from jobs.store.asked import cancel_queued_of_job


def archive(job: Job) -> int:
    """End the job for good and cancel its queued runs; how many. A running one goes on to its end."""
    with transaction.atomic():
        if not Job.objects.living().filter(pk=job.pk).update(archived_at=Now()):
            raise ConflictError(f'Job "{job.name}" is archived already.')
        cancelled = cancel_queued_of_job(job.pk, note="The job was archived before this run started.")
    job.refresh_from_db()
    log.event("job.archived", job=job.name, cancelled=cancelled)
    return cancelled
