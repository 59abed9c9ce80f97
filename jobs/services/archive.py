"""Archive a job: it leaves the living, its history stays."""

from __future__ import annotations

from django.db import transaction
from django.db.models.functions import Now

from jobs import log
from jobs.domain.built_in import archive_fault
from jobs.errors import ConflictError
from jobs.models import Job
from jobs.services.define import require_version
from jobs.store.asked import cancel_queued_of_job


def archive(job: Job, *, version: int | None = None) -> int:
    """End the job for good and cancel its queued runs; how many. A running one goes on to its end.

    ChangedError when it is no longer at ``version``.
    """
    with transaction.atomic():
        held = Job.objects.living().select_for_update().filter(pk=job.pk).first()
        if held is None:
            raise ConflictError(f'Job "{job.name}" is archived already.')
        if problem := archive_fault(held.name):
            raise ConflictError(problem)
        require_version(held, version)
        Job.objects.filter(pk=job.pk).update(archived_at=Now())
        cancelled = cancel_queued_of_job(job.pk, note="The job was archived before this run started.")
    job.refresh_from_db()
    log.event("job.archived", job=job.name, cancelled=cancelled)
    return cancelled
