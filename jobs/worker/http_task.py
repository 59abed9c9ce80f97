"""The task that messages of HTTP runs name. Its worker makes the call itself; the body is for what has no call."""

from __future__ import annotations

from celery import shared_task

from jobs.domain.messages import HTTP_TASK


@shared_task(name=HTTP_TASK, ignore_result=True)
def call_endpoint() -> None:
    """Fail. Runs of a job that has left its endpoint for a task since their message was sent do not come here: they are
    handed back.
    """
    raise LookupError("This run's job calls no endpoint now. The next attempt runs what the job names then.")
