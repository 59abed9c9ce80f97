"""The calls that curl has under way. Handles serve one call after another, connections are kept for the next."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import pycurl

from jobs import log
from jobs.conf import config
from jobs.domain.answers import Answer, Failure, FailureKind
from jobs.targets.driver import Driver
from jobs.targets.exchange import Exchange
from jobs.targets.flight import Flight
from jobs.targets.orders import Order

# Handles kept for further calls, some kB each.
_KEPT_HANDLES = 2048


class Departure(NamedTuple):
    """A call that began."""

    order: Order
    flight: Flight


Landing = tuple[Order, Answer | Failure]


class Air:
    """All but ``wake`` belongs to one thread."""

    def __init__(self) -> None:
        self._driver = Driver()
        self._under_way: dict[pycurl.Curl, tuple[Departure, Exchange]] = {}
        self._free: list[Exchange] = []
        self.wake = self._driver.wake

    def take_off(self, departure: Departure, found: tuple[str, ...]) -> Iterator[Landing]:
        """Let curl begin in the next turn. Yields the end of a call that curl takes for impossible."""
        exchange = self._free.pop() if self._free else Exchange()
        try:
            exchange.begin(departure.flight, found, config().egress_allow)
            self._driver.add(exchange.handle)
        except pycurl.error as error:
            yield departure.order, _ending(exchange, departure.flight, *error.args)
        else:
            self._under_way[exchange.handle] = (departure, exchange)

    def turn(self, patience: float) -> Iterator[Landing]:
        """Wait for what comes first, at most so many seconds, carry calls forward, yield those that are done."""
        for handle, code, said in self._driver.turn(patience):
            departure, exchange = self._under_way[handle]
            result = _ending(exchange, departure.flight, code, said)
            self._release(handle)
            yield departure.order, result

    def end(self, is_meant: Callable[[Departure], bool], message: str) -> Iterator[Landing]:
        """End these calls."""
        for handle, (departure, exchange) in list(self._under_way.items()):
            if is_meant(departure):
                result = exchange.cancelled(departure.flight, message)
                self._release(handle)
                yield departure.order, result

    def close(self) -> None:
        """Close all connections; no call may be under way."""
        self._driver.close()

    def _release(self, handle: pycurl.Curl) -> None:
        _, exchange = self._under_way.pop(handle)
        self._driver.remove(handle)
        exchange.clear()
        if len(self._free) < _KEPT_HANDLES:
            self._free.append(exchange)


def _ending(exchange: Exchange, flight: Flight, code: int, said: str) -> Answer | Failure:
    """An answer that we fail to read is that call's trouble, and no other's."""
    try:
        return exchange.ending(flight, code, said)
    except Exception as error:
        log.error("http.answer_failed", error=type(error).__name__)  # its text may quote the answer
        return flight.failure(FailureKind.PROTOCOL, f"The answer could not be read: {type(error).__name__}.")
