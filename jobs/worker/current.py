"""What team code can know of the run it works for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from jobs.domain.messages import RunKey

_local = threading.local()


@dataclass(frozen=True, slots=True)
class CurrentRun:
    """The run that this thread works for. ``key`` is the idempotency key, the same over all attempts."""

    key: RunKey
    job: str
    attempt: int
    task_id: str
    _asked_to_end: Callable[[], bool] = field(default=bool, repr=False)

    @property
    def scheduled_for(self) -> datetime:
        """The run's slot."""
        return self.key.scheduled_for

    @property
    def cancelled(self) -> bool:
        """Whether the body should end: a cancel was asked for, or the lease was lost. Cooperative code looks here."""
        return self._asked_to_end()


def current_run() -> CurrentRun | None:
    """The run that the calling thread works for; None outside of runs."""
    return getattr(_local, "run", None)


@contextmanager
def working_for(run: CurrentRun) -> Iterator[None]:
    """Make it the current run of this thread."""
    _local.run = run
    try:
        yield
    finally:
        _local.run = None


def from_header(header: dict[str, Any], *, task_id: str, asked_to_end: Callable[[], bool]) -> CurrentRun:
    """The run that a request's header names, as the worker rewrote it."""
    return CurrentRun(RunKey.parse(header["key"]), header["job"], header["attempt"], task_id, asked_to_end)
