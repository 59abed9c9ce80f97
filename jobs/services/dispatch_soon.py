"""Dispatch runs right after their commit, from a thread of its own: a server answers without waiting for the broker.

Many requests' runs go in one batch. What is not sent when the process ends or the broker is away, the leader sends.
"""

from __future__ import annotations

import atexit
import functools
import os
import threading
from collections import deque
from collections.abc import Sequence

from django.db import connection, transaction

from jobs.domain.messages import RunKey
from jobs.services.dispatch import publish

_BATCH = 500
_MOST = 10_000
_IDLE_SECONDS = 10.0
_AT_EXIT_SECONDS = 2.0


class Outbox:
    """Keys of committed runs that wait to be sent; a thread that lives while there are some."""

    def __init__(self) -> None:
        self._keys: deque[RunKey] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._busy = False

    def put(self, keys: Sequence[RunKey]) -> None:
        """Have these sent soon; the oldest are left to the leader when too many wait."""
        with self._changed:
            self._keys.extend(keys)
            while len(self._keys) > _MOST:
                self._keys.popleft()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="outbox", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def flush(self, seconds: float) -> bool:
        """Wait until nothing waits or is being sent; False when the time is over first."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._keys and not self._busy, timeout=seconds)

    def _run(self) -> None:
        while batch := self._next():
            publish(batch)
            if connection.errors_occurred:  # Django looks after a request, and this thread has none
                connection.close()
            with self._changed:
                self._busy = False
                self._changed.notify_all()
        connection.close()

    def _next(self) -> list[RunKey]:
        """The keys to send now; none when there have been none for a while, and then the thread is over."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._keys, timeout=_IDLE_SECONDS):
                self._thread = None
                return []
            self._busy = True
            return [self._keys.popleft() for _ in range(min(_BATCH, len(self._keys)))]


_outbox = Outbox()


def publish_soon(keys: Sequence[RunKey]) -> None:
    """Like ``publish_after_commit``, but nobody waits for it."""
    transaction.on_commit(functools.partial(_put, tuple(keys)), robust=True)


def flush(seconds: float = _AT_EXIT_SECONDS) -> bool:
    """Wait until what was put is sent or left to the leader."""
    return _outbox.flush(seconds)


def _put(keys: Sequence[RunKey]) -> None:
    _outbox.put(keys)


def _start_anew_in_child() -> None:
    global _outbox
    _outbox = Outbox()


os.register_at_fork(after_in_child=_start_anew_in_child)
atexit.register(flush)
