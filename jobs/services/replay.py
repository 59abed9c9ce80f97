"""Replay a dead run: the same key, attempts allowed anew."""

from __future__ import annotations

from django.db import transaction

from jobs import log
from jobs.domain.messages import RunKey
from jobs.domain.policies import ConcurrencyPolicy
from jobs.errors import ConflictError
from jobs.models import Job
from jobs.services.cancel import status_of
from jobs.services.dispatch import publish_after_commit
from jobs.store.asked import lock_living_job, replay_run
from jobs.store.runs import lock_cursors, open_runs


def replay(key: RunKey) -> None:
    """Queue a dead run again. A job that runs one at a time must have no other queued or running run."""
    with transaction.atomic():
        if not lock_living_job(key.job_id):
            raise ConflictError(f"Run {key} is {status_of(key)}, but its job is archived: it cannot run again.")
        job = Job.objects.get(pk=key.job_id)
        exclusive = job.concurrency_policy != ConcurrencyPolicy.ALLOW
        if exclusive:
            _require_nothing_open(job, key)
        if not replay_run(key, more_attempts=job.max_attempts, exclusive=exclusive):
            raise ConflictError(f"Run {key} is {status_of(key)}; only a dead run can be replayed.")
        publish_after_commit([key])
    log.event("run.replayed", run=key, job=job.name)


def _require_nothing_open(job: Job, key: RunKey) -> None:
    lock_cursors([job.pk])
    for run in open_runs([job.pk]).get(job.pk, ()):
        if run.key != key:
            raise ConflictError(
                f'Job "{job.name}" runs one at a time (concurrency policy {job.concurrency_policy}) and run {run.key} '
                f"is {run.status}. Wait for it or cancel it, then replay {key}."
            )
