"""Hold a request until a run has ended. A server has few threads, so few wait at once; the rest are answered now."""

from __future__ import annotations

import threading
from collections.abc import Callable

from jobs.clock import monotonic
from jobs.domain.states import RunStatus
from jobs.models import JobRun

MOST_AT_ONCE = 8
_SHORTEST, _LONGEST = 0.05, 0.5
_seats = threading.BoundedSemaphore(MOST_AT_ONCE)


def wait_for(read: Callable[[], JobRun], seconds: float) -> JobRun:
    """The run when it has ended, or as it stands when the time is over or too many wait here already."""
    run = read()
    if RunStatus(run.status).is_terminal or not seconds or not _seats.acquire(blocking=False):
        return run
    try:
        return _wait(read, monotonic() + seconds)
    finally:
        _seats.release()


def _wait(read: Callable[[], JobRun], end: float) -> JobRun:
    """Look ever less often: what ends soon is told soon, what lasts costs little."""
    pause, ticking = _SHORTEST, threading.Event()
    while True:
        run = read()
        left = end - monotonic()
        if RunStatus(run.status).is_terminal or left <= 0:
            return run
        ticking.wait(min(pause, left))
        pause = min(pause * 1.5, _LONGEST)
