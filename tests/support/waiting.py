"""Wait for something with a bound; never a bare sleep."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_until(predicate: Callable[[], T], timeout: float = 10, what: str = "", every: float = 0.05) -> T:
    """Call the predicate until it is true and return its value; AssertionError after ``timeout`` seconds."""
    deadline = time.monotonic() + timeout
    pause = threading.Event()
    while not (value := predicate()):
        assert time.monotonic() < deadline, f"waited {timeout} s for {what or predicate}"
        pause.wait(every)
    return value


def let_pass(seconds: float) -> None:
    """Let real time go by, where a test is about an elapsed time."""
    threading.Event().wait(seconds)
