"""Calls that wait for their host to be looked up, each at most until its deadline.

curl's own resolver has 20 threads. Tried: five calls a second to one host whose name server is silent took them all,
and delayed the calls to every other host by 8 to 24 s; with this, by nothing. Here a host takes one thread, however
many calls wait for it, and what was found serves the calls of the next seconds.
"""

from __future__ import annotations

import math
import queue
import threading
from collections.abc import Callable, Iterator
from typing import Generic, NamedTuple, TypeVar

from jobs import clock
from jobs.targets.lookup import Found, look_up

_MOST_THREADS = 64
_KNOWN_SECONDS, _UNKNOWN_SECONDS = 30.0, 3.0
_MOST_KNOWN = 4096

Item = TypeVar("Item")


class _Known(NamedTuple):
    found: Found
    until: float


class Lookups(Generic[Item]):
    """All but the look-up itself belongs to one thread. ``wake`` is called when something was found."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._known: dict[str, _Known] = {}
        self._waiting: dict[str, list[tuple[Item, float]]] = {}
        self._first_deadline = math.inf
        self._hosts: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._threads = 0
        self._came: list[tuple[str, Found]] = []
        self._lock = threading.Lock()
        self._is_closed = False

    def known(self, host: str) -> Found | None:
        """What was found a moment ago."""
        known = self._known.get(host)
        return known.found if known and known.until > clock.monotonic() else None

    def add(self, host: str, item: Item, *, deadline: float) -> None:
        """Let this wait for the host, until ``deadline`` on the monotonic clock."""
        if host not in self._waiting:
            self._waiting[host] = []
            self._ask(host)
        self._waiting[host].append((item, deadline))
        self._first_deadline = min(self._first_deadline, deadline)

    @property
    def patience(self) -> float:
        """Seconds until the first deadline."""
        return max(0.0, self._first_deadline - clock.monotonic())

    def ready(self) -> Iterator[tuple[Item, Found | None]]:
        """What need not wait any more: with what was found, or None at its deadline."""
        with self._lock:
            came, self._came = self._came, []
        for host, found in came:
            self._note(host, found)
            yield from ((item, found) for item, _ in self._waiting.pop(host))
        now = clock.monotonic()
        if now >= self._first_deadline:
            yield from ((item, None) for item in self._taken(lambda _, deadline: deadline <= now))

    def take(self, is_meant: Callable[[Item], bool]) -> list[Item]:
        """Let these wait no longer."""
        return self._taken(lambda item, _: is_meant(item))

    def close(self) -> None:
        """Wake no one any more; threads end when their look-up does."""
        with self._lock:
            self._is_closed = True
        for _ in range(self._threads):
            self._hosts.put(None)

    def _taken(self, is_meant: Callable[[Item, float], bool]) -> list[Item]:
        """A host without waiters stays, so that the next call joins the look-up under way."""
        taken = []
        for host, waiting in self._waiting.items():
            taken += [item for item, deadline in waiting if is_meant(item, deadline)]
            self._waiting[host] = [pair for pair in waiting if not is_meant(*pair)]
        left = (deadline for waiting in self._waiting.values() for _, deadline in waiting)
        self._first_deadline = min(left, default=math.inf)
        return taken

    def _note(self, host: str, found: Found) -> None:
        now = clock.monotonic()
        if len(self._known) >= _MOST_KNOWN:
            self._known = {name: known for name, known in self._known.items() if known.until > now}
        self._known[host] = _Known(found, now + (_UNKNOWN_SECONDS if isinstance(found, str) else _KNOWN_SECONDS))

    def _ask(self, host: str) -> None:
        self._hosts.put(host)
        if self._threads < min(_MOST_THREADS, len(self._waiting)):
            self._threads += 1
            threading.Thread(target=self._look_up, name="lookup", daemon=True).start()

    def _look_up(self) -> None:
        while (host := self._hosts.get()) is not None:
            found = look_up(host)
            with self._lock:
                if not self._is_closed:
                    self._came.append((host, found))
                    self._wake()
