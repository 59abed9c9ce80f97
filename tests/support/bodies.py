"""Task bodies for tests with real processes: they tell in a file, opened with O_APPEND, when they start and end."""

from __future__ import annotations

import os
import time
from typing import Any

from celery import shared_task

from jobs import current_run
from tests.support.ways import WAYS

LINES = "BEATKEEPER_TEST_LINES"
BOOT = "BEATKEEPER_TEST_BOOT"  # the wall time at which monotonic time began: right under a wrong clock too


def _append(word: str) -> None:
    run = current_run()
    now = float(os.environ[BOOT]) + time.monotonic()
    line = f"{word} {run.key} {run.attempt} {os.getpid()} {now:.3f}\n"
    descriptor = os.open(os.environ[LINES], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, line.encode())
    finally:
        os.close(descriptor)


@shared_task
def body(seconds: float = 0, fails: bool = False, steps: int = 1, way: str = "sleep") -> dict[str, Any]:
    """Work for some time, telling each step; optionally fail at the end."""
    _append("started")
    for _ in range(steps):
        WAYS[way](seconds / steps)
        if steps > 1:
            _append("working")
    if fails:
        raise RuntimeError("told to fail")
    _append("ended")
    return {"slept": seconds}


@shared_task
def noop() -> None:
    """Nothing: what is measured is all around it."""
