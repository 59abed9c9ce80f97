"""What is accepted when a job is saved, but probably not meant."""

from __future__ import annotations

from collections.abc import Iterator

from jobs.broker.tasks import run_queue, task_defaults
from jobs.domain.endpoint import disabled_caution
from jobs.domain.schedules import warnings
from jobs.models import Job
from jobs.services.queues import queue_warning


def cautions(job: Job) -> Iterator[str]:
    """Sentences to show after saving."""
    yield from (f"Look twice: {warning}" for warning in warnings(job.spec))
    if job.endpoint is not None:
        if not job.endpoint.enabled:
            yield disabled_caution(job.endpoint.name)
    elif not task_defaults(job.task).is_known:
        yield (
            f'This web process knows no task "{job.task}". If no worker knows it either, its runs wait 15 minutes '
            "and are dead then. Check the name."
        )
    if job.webhook is not None and not job.webhook.enabled:
        yield disabled_caution(job.webhook.name, what="webhooks to it")
    if caution := queue_warning(run_queue(job.queue, job.task)):
        yield caution
