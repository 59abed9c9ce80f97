"""Enable a disabled job: it fires from now on."""

from __future__ import annotations

from jobs import log
from jobs.errors import ConflictError
from jobs.models import Job


def enable(job: Job) -> None:
    """Let the job fire again; the slots that came while it was disabled stay a gap."""
    if not Job.objects.living().filter(pk=job.pk, enabled=False).update(enabled=True):
        is_archived = Job.objects.filter(pk=job.pk, archived_at__isnull=False).exists()
        raise ConflictError(f'Job "{job.name}" is {"archived" if is_archived else "enabled already"}.')
    job.refresh_from_db()
    log.event("job.enabled", job=job.name)
