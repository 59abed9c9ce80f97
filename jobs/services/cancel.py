"""Cancel a run: a queued one ends, a running one is asked to."""

from __future__ import annotations

from jobs import log
from jobs.domain.messages import RunKey
from jobs.domain.states import RunStatus
from jobs.errors import ConflictError, NotFoundError
from jobs.models import JobRun
from jobs.store.asked import cancel_runs


def cancel(key: RunKey) -> RunStatus:
    """``cancelled`` when the run was queued; ``running`` when its worker has been asked to end it."""
    status = cancel_runs([key], note="Cancelled before it started.").get(key)
    if status is None:
        raise ConflictError(f"Run {key} is {status_of(key)} already and cannot be cancelled.")
    log.event("run.cancel_requested", run=key, status=status)
    return status


def status_of(key: RunKey) -> RunStatus:
    """The run's status; NotFoundError when there is no such run."""
    run = JobRun.objects.filter(job_id=key.job_id, scheduled_for=key.scheduled_for)
    for status in run.values_list("status", flat=True):
        return RunStatus(status)
    raise NotFoundError(f"There is no run {key}: it never was, or it is older than the retention time.")
