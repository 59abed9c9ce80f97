"""This process's own short way to the broker, for runs that it has just committed.

Any thread may use it. The connection is opened at the first use, kept for half a minute after the last, and belongs to
the process that opened it: a forked child lets go of it. Every wait is short, since a request may be waiting; when the
broker does not answer, it is left alone for some seconds and the leader sends what was not sent.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence

from jobs.broker.encoding import Content
from jobs.broker.pause import Pause
from jobs.broker.publisher import Publisher
from jobs.clock import monotonic

_PATIENCE_SECONDS = 0.7  # for each of: another thread, the connection, an answer, the confirms
_IDLE_SECONDS = 30.0


class Courier:
    """Sends a few messages and waits shortly for their confirms."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._publisher: Publisher | None = None
        self._timer: threading.Timer | None = None
        self._pause = Pause(longest=5.0)
        self._used_at = 0.0

    @property
    def is_available(self) -> bool:
        """False shortly after the broker did not answer."""
        return self._pause.is_over

    def send(self, batches: Mapping[str, Sequence[Content]]) -> dict[str, list[bool]]:
        """By queue, whether the broker holds each message; a queue that is missing there has not answered."""
        if not self._lock.acquire(timeout=_PATIENCE_SECONDS):
            return {}
        try:
            return self._sent(self._open_publisher(), batches)
        finally:
            self._lock.release()

    def close(self) -> None:
        """Close the connection; the next send opens one."""
        with self._lock:
            self._close()

    def abandon(self) -> None:
        """In a forked child: the connection is the parent's."""
        if self._publisher is not None:
            self._publisher.abandon()

    def _sent(self, publisher: Publisher, batches: Mapping[str, Sequence[Content]]) -> dict[str, list[bool]]:
        for queue, batch in batches.items():
            publisher.publish(queue, batch)
        publisher.wait(list(batches), _PATIENCE_SECONDS)
        answers = {queue: publisher.lane(queue).take() for queue in batches if publisher.lane(queue).is_answered}
        if answers.keys() == batches.keys():
            self._pause.end()
        else:
            self._give_up(publisher)
        return answers

    def _give_up(self, publisher: Publisher) -> None:
        publisher.drop()
        self._publisher = None
        self._pause.lengthen()

    def _open_publisher(self) -> Publisher:
        """The kept one if its connection still stands, else a new one."""
        if self._publisher is not None:
            self._publisher.poll(0)
        if self._publisher is None or not self._publisher.is_connected:
            self._publisher = Publisher(patience=_PATIENCE_SECONDS, heartbeat=0)
        if self._timer is None:
            self._close_later(_IDLE_SECONDS)
        self._used_at = monotonic()
        return self._publisher

    def _close_later(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._close_if_idle)
        self._timer.daemon = True
        self._timer.start()

    def _close_if_idle(self) -> None:
        with self._lock:
            self._timer = None
            idle = monotonic() - self._used_at
            if idle >= _IDLE_SECONDS:
                self._close()
            elif self._publisher is not None:
                self._close_later(_IDLE_SECONDS - idle)

    def _close(self) -> None:
        publisher, self._publisher = self._publisher, None
        if publisher is not None:
            publisher.close()


_courier = Courier()


def courier() -> Courier:
    """The process's courier."""
    return _courier


def _start_anew_in_child() -> None:
    global _courier
    _courier.abandon()
    _courier = Courier()


os.register_at_fork(after_in_child=_start_anew_in_child)
