"""The clerk's place in the life of a worker."""

from __future__ import annotations

from typing import Any

from celery import signals

from jobs.worker.celery_parts import RUNNING, StartStopStep
from jobs.worker.consumer import JobsConsumer
from jobs.worker.request import has_processes


class ClerkStep(StartStopStep):
    """Stops before the consumer of tasks does, and shuts down before its channel closes."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def include_if(self, c: Any) -> bool:
        """Only beside our consumer."""
        return isinstance(c, JobsConsumer)

    def start(self, c: JobsConsumer) -> None:
        """Consuming starts, or starts again."""
        signals.worker_shutting_down.connect(_claim_nothing_more(c), weak=False, dispatch_uid="jobs.clerk")

    def stop(self, c: JobsConsumer) -> None:
        """The connection was lost, or the worker closes.

        On a loss Celery has just forgotten every request that had not started, without a word: their runs are given
        back, committed before the messages can come again. Threads do run what they were given. On closing, what the
        pool was given still runs.
        """
        is_lost = c.blueprint.state == RUNNING
        if not is_lost:
            c.clerk.claim_nothing_more()
        if has_processes(c.pool) or not is_lost:
            c.clerk.hand_back(given_too=is_lost)

    def shutdown(self, c: JobsConsumer) -> None:
        """The pool is drained: give back what it never ran, settle all outcomes, acknowledge on the open channel."""
        c.clerk.hand_back(given_too=True)
        c.clerk.stop()
        c.clerk.hands.acknowledge_now()


def _claim_nothing_more(c: JobsConsumer) -> Any:
    def on_shutting_down(**_: Any) -> None:
        c.clerk.claim_nothing_more()

    return on_shutting_down
