"""What a body can spend its time with: sleep, work without a pause, stand in C, or die."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import time
from collections.abc import Callable

import psycopg

from tests.support.waiting import let_pass


def _spin(seconds: float) -> None:
    """Work without a pause."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def _spin_deaf(seconds: float) -> None:
    """Work without a pause, and swallow whatever is raised from outside."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            _spin(until - time.monotonic())
        except BaseException:
            continue


def _sleep_in_c(seconds: float) -> None:
    """One C call that keeps the interpreter's lock, with every signal blocked that can be."""
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    ctypes.PyDLL(None).poll(None, 0, int(seconds * 1000))


def _backtrack(_: float) -> None:
    """A pattern that would take years, with a catch for all that the limit raises."""
    while True:
        try:
            re.match(r"(a+)+$", "a" * 60 + "b")
        except BaseException:
            continue


def _ask_database(seconds: float) -> None:
    """A statement that takes long, on a connection of the body's own."""
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        connection.execute("SELECT pg_sleep(%s)", [seconds])


def _die(seconds: float) -> None:
    """As the kernel ends a process that is out of memory."""
    let_pass(seconds)
    os.kill(os.getpid(), signal.SIGKILL)


WAYS: dict[str, Callable[[float], None]] = {
    "sleep": time.sleep,
    "spin": _spin,
    "spin deaf": _spin_deaf,
    "sleep in C": _sleep_in_c,
    "backtrack": _backtrack,
    "ask the database": _ask_database,
    "die": _die,
}
