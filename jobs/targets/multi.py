"""Many calls at once in one thread, on curl's multi interface.

Callbacks run in the curl thread and must not block. Each call has one deadline, which bounds the look-up of its
host, the connection and the answer together: whatever an endpoint does, its call ends, and holds up no other.

The way of a call: ordered (by any thread) → told that it begins → its host looked up → in the air → told of its end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from jobs import log
from jobs.domain.answers import Answer, Failure, FailureKind
from jobs.targets.air import Air, Departure, Landing
from jobs.targets.call import Call
from jobs.targets.flight import Flight
from jobs.targets.lookup import Found
from jobs.targets.lookups import Lookups
from jobs.targets.orders import Inbox, OnDone, OnStart, Order

_PAUSE_AFTER_ERROR = 1.0
_CANCELLED = Failure(FailureKind.CANCELLED, "The call was cancelled before it began.", 0.0, "")
_STOPPED = Failure(FailureKind.CANCELLED, "The call was not begun: its worker stops.", 0.0, "")
_UNTOLD = Failure(FailureKind.CONNECTION, "The call was not begun: its start could not be noted.", 0.0, "")


class Multi:
    """Start, submit calls under numbers that are unique among those in flight, drain, stop."""

    def __init__(self) -> None:
        self._air = Air()
        self._inbox = Inbox(self._air.wake)
        self._lookups: Lookups[Departure] = Lookups(self._air.wake)
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def in_flight(self) -> int:
        """Calls that were submitted and are not done."""
        return self._inbox.count

    def start(self) -> None:
        """Start the thread, once."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="curl", daemon=True)
            self._thread.start()

    def submit(self, number: int, call: Call, *, on_start: OnStart, on_done: OnDone) -> None:
        """Make this call soon. ``on_start`` comes just before; when it returns False, no call and no word follows.

        Else ``on_done`` comes exactly once, also when all is being stopped.
        """
        order = Order(number, call, on_start, on_done)
        if not self._inbox.put(order):
            order.report(_STOPPED)

    def cancel(self, number: int) -> None:
        """End the call of this number, begun or not; one that is done stays as it is."""
        self._inbox.cancel(number)

    def drain(self, timeout: float) -> bool:
        """Wait until every call is done; False when some are not after so many seconds."""
        return self._inbox.wait_empty(timeout)

    def stop(self) -> None:
        """End the calls in flight as cancelled, and the thread."""
        self._inbox.close()
        self.start()  # one that never started ends its orders, too
        if self._thread is not threading.current_thread():
            self._ended.wait()

    def tick(self) -> int:
        """One turn: take orders, carry calls forward, report those that are done. Returns how many curl ended."""
        self._take_orders()
        for departure, found in self._lookups.ready():
            self._take_off(departure, found)
        return self._report(self._air.turn(self._lookups.patience))

    def _run(self) -> None:
        while not self._inbox.is_closed:
            try:
                self.tick()
            except Exception as error:  # the other calls go on
                log.error("http.turn_failed", error=repr(error))
                self._inbox.wait_closed(_PAUSE_AFTER_ERROR)
        try:
            self._end()
        finally:
            self._ended.set()

    def _take_orders(self) -> None:
        orders, cancelled = self._inbox.take()
        for order in orders:
            if order.number in cancelled:
                self._finish(order, _CANCELLED)
            else:
                self._begin(order)
        if cancelled:
            self._cancel(lambda departure: departure.order.number in cancelled, "The call was cancelled.")

    def _begin(self, order: Order) -> None:
        may_begin = order.may_begin()
        if may_begin is None:
            self._finish(order, _UNTOLD)
        elif may_begin:
            self._look_up(Departure(order, Flight.of(order.call)))
        else:
            self._inbox.done()

    def _look_up(self, departure: Departure) -> None:
        place = departure.flight.place
        if not place.is_name:
            self._take_off(departure, ())
        elif (found := self._lookups.known(place.host)) is not None:
            self._take_off(departure, found)
        else:
            self._lookups.add(place.host, departure, deadline=departure.flight.deadline)

    def _take_off(self, departure: Departure, found: Found | None) -> None:
        if isinstance(found, tuple):
            self._report(self._air.take_off(departure, found))
        else:
            self._finish(departure.order, departure.flight.unfound(found))

    def _report(self, landings: Iterable[Landing]) -> int:
        count = 0
        for order, result in landings:
            self._finish(order, result)
            count += 1
        return count

    def _finish(self, order: Order, result: Answer | Failure) -> None:
        order.report(result)
        self._inbox.done()

    def _cancel(self, is_meant: Callable[[Departure], bool], message: str) -> None:
        for departure in self._lookups.take(is_meant):
            self._finish(departure.order, departure.flight.failure(FailureKind.CANCELLED, message))
        self._report(self._air.end(is_meant, message))

    def _end(self) -> None:
        for order in self._inbox.take()[0]:
            self._finish(order, _STOPPED)
        self._cancel(lambda _: True, "The call was ended: its worker stops.")
        self._lookups.close()
        self._air.close()
