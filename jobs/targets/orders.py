"""What other threads ask of the curl thread: calls to make, calls to end. Taken all at once, under one lock."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

from jobs import log
from jobs.domain.answers import Answer, Failure
from jobs.targets.call import Call

OnStart = Callable[[], bool | None]
OnDone = Callable[[Answer | Failure], None]


class Order(NamedTuple):
    """A call to make, and whom to tell. Whatever the callbacks raise is logged and goes no further."""

    number: int
    call: Call
    on_start: OnStart
    on_done: OnDone

    def may_begin(self) -> bool | None:
        """Tell of the start. False: not wanted any more; None: it could not be told."""
        try:
            return self.on_start() is not False
        except BaseException as error:  # a SystemExit, too: the thread serves others
            log.error("http.callback_failed", callback="on_start", error=repr(error))
            return None

    def report(self, result: Answer | Failure) -> None:
        """Tell of the end."""
        try:
            self.on_done(result)
        except BaseException as error:
            log.error("http.callback_failed", callback="on_done", error=repr(error))


class Inbox:
    """``count`` is of calls that were put in and are not done. ``wake`` is called, under the lock, when there is
    something to take; not again until it is taken, since each time costs a turn of the interpreter.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._changed = threading.Condition()
        self._orders: list[Order] = []
        self._cancels: set[int] = set()
        self.count = 0
        self.is_closed = False

    def put(self, order: Order) -> bool:
        """Ask for a call; False when the inbox is closed."""
        with self._changed:
            if not self.is_closed:
                self.count += 1
                self._wake_once()
                self._orders.append(order)
            return not self.is_closed

    def cancel(self, number: int) -> None:
        """Ask for the end of a call."""
        with self._changed:
            if not self.is_closed:
                self._wake_once()
                self._cancels.add(number)

    def take(self) -> tuple[list[Order], set[int]]:
        """All that is asked for: calls to make, numbers of calls to end. Both at once, or a cancel could come early."""
        with self._changed:
            taken = self._orders, self._cancels
            self._orders, self._cancels = [], set()
            return taken

    def done(self) -> None:
        """One call less."""
        with self._changed:
            self.count -= 1
            if not self.count:
                self._changed.notify_all()

    def close(self) -> None:
        """Take nothing more in."""
        with self._changed:
            if not self.is_closed:
                self.is_closed = True
                self._wake()
                self._changed.notify_all()

    def wait_empty(self, timeout: float) -> bool:
        """Wait until every call is done; False when some are not after so many seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self.count, timeout)

    def wait_closed(self, timeout: float) -> bool:
        """Wait so long, or until closed."""
        with self._changed:
            return self._changed.wait_for(lambda: self.is_closed, timeout)

    def _wake_once(self) -> None:
        if not (self._orders or self._cancels):
            self._wake()
