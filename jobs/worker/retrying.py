"""``self.retry`` in a run publishes nothing: the database keeps the wait and decides whether it is tried again."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from jobs.worker.celery_parts import Retry
from jobs.worker.current import current_run

MAX_RETRIES_ATTRIBUTE = "jobs_max_retries"


def retry_of_runs(plain: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a task class's ``retry``: outside of a run, or called directly, it stays what it was."""

    @functools.wraps(plain)
    def retry(self: Any, *args: Any, **options: Any) -> Any:
        return _ask(self, *args, **options) if _is_run(self) else plain(self, *args, **options)

    return retry


def _is_run(task: Any) -> bool:
    run, request = current_run(), task.request
    return run is not None and request.id == run.task_id and not request.called_directly and not request.is_eager


def _ask(
    task: Any,
    args: Any = None,
    kwargs: Any = None,
    exc: BaseException | None = None,
    throw: bool = True,
    eta: Any = None,
    countdown: float | None = None,
    max_retries: int | None = None,
    **_options: Any,
) -> Any:
    """Celery's signature. New ``args`` and ``kwargs`` are not taken: a run's payload is the same over all attempts."""
    wait = task.default_retry_delay if countdown is None else countdown
    asked = Retry(exc=exc, when=eta or wait)
    setattr(asked, MAX_RETRIES_ATTRIBUTE, task.max_retries if max_retries is None else max_retries)
    if throw:
        raise asked from exc
    return asked
