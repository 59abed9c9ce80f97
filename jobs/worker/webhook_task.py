"""The task of ``system.webhook``. Its message names a run, the run's token at its end, and the endpoint to tell."""

from __future__ import annotations

from typing import Any

from celery import shared_task

from jobs.domain.built_in import WEBHOOK_TASK
from jobs.worker.ended import AttemptEndedError


@shared_task(name=WEBHOOK_TASK, ignore_result=True, throws=(AttemptEndedError,))
def send_webhook(*, run: str, end: int, endpoint: int) -> Any:
    """Tell of the end; the answer becomes the result."""
    from jobs.worker.webhook_call import tell  # tasks are registered before there are models

    return tell(run=run, end=end, endpoint=endpoint)
