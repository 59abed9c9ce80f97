"""What all kinds of schedule share: bounds, walks in both directions, and datetimes at the edge."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from datetime import datetime
from itertools import islice

from .instants import FIRST_INSTANT, LAST_INSTANT, ceil_seconds, floor_seconds, to_datetime


class Schedule(ABC):
    """Slots of one definition: aware UTC datetimes in whole seconds, from its arguments alone.

    Subclasses count in seconds (see ``instants``) and know no bounds: ``start_at`` and ``end_at`` act here.
    A naive argument raises InvalidScheduleError with the argument's name.
    """

    _first = FIRST_INSTANT
    _last = LAST_INSTANT

    @abstractmethod
    def _next(self, after: int) -> int | None:
        """The first slot later than ``after``, bounds aside."""

    @abstractmethod
    def _previous(self, before: int) -> int | None:
        """The last slot earlier than ``before``, bounds aside."""

    def _count(self, after: int, until: int, cap: int) -> int:
        """How many slots are in (after, until], bounds aside: ``cap`` or more where there are that many."""
        total = 0
        slot = self._next(after)
        while slot is not None and slot <= until and total < cap:
            total += 1
            slot = self._next(slot)
        return total

    def _is_moved(self, slot: int) -> bool:
        """Whether a clock change moved this slot from its wall time."""
        return False

    def set_bounds(self, start_at: datetime | None, end_at: datetime | None) -> None:
        """Both are inclusive; called once, by ``build``."""
        if start_at is not None:
            self._first = max(FIRST_INSTANT, ceil_seconds(start_at, "start_at"))
        if end_at is not None:
            self._last = min(LAST_INSTANT, floor_seconds(end_at, "end_at"))

    def next(self, after: datetime) -> datetime | None:
        """The first slot strictly later than ``after``."""
        slot = self._bounded_next(floor_seconds(after, "after"))
        return None if slot is None else to_datetime(slot)

    def previous(self, before: datetime) -> datetime | None:
        """The last slot strictly earlier than ``before``."""
        slot = self._bounded_previous(ceil_seconds(before, "before"))
        return None if slot is None else to_datetime(slot)

    def between(self, after: datetime, until: datetime, limit: int | None = None) -> list[datetime]:
        """The slots in (after, until], oldest first; only the oldest ``limit`` of them."""
        return [to_datetime(slot) for slot in islice(self._rising(after, until), limit)]

    def latest(self, after: datetime, until: datetime, limit: int) -> list[datetime]:
        """The newest ``limit`` slots in (after, until], oldest first; costs as many steps as it returns."""
        slots = [to_datetime(slot) for slot in islice(self._falling(after, until), limit)]
        slots.reverse()
        return slots

    def count(self, after: datetime, until: datetime, cap: int) -> int:
        """How many slots are in (after, until], at most ``cap``."""
        first = max(floor_seconds(after, "after") + 1, self._first)
        last = min(floor_seconds(until, "until"), self._last)
        return min(self._count(first - 1, last, cap), cap)

    def is_moved(self, slot: datetime) -> bool:
        """Whether ``slot`` is at the first instant after a gap in place of a skipped wall time."""
        return self._is_moved(floor_seconds(slot, "slot"))

    def _bounded_next(self, after: int) -> int | None:
        slot = self._next(max(after, self._first - 1))
        return slot if slot is not None and slot <= self._last else None

    def _bounded_previous(self, before: int) -> int | None:
        slot = self._previous(min(before, self._last + 1))
        return slot if slot is not None and slot >= self._first else None

    def _rising(self, after: datetime, until: datetime) -> Iterator[int]:
        last = floor_seconds(until, "until")
        slot = self._bounded_next(floor_seconds(after, "after"))
        while slot is not None and slot <= last:
            yield slot
            slot = self._bounded_next(slot)

    def _falling(self, after: datetime, until: datetime) -> Iterator[int]:
        first = floor_seconds(after, "after") + 1
        slot = self._bounded_previous(floor_seconds(until, "until") + 1)
        while slot is not None and slot >= first:
            yield slot
            slot = self._bounded_previous(slot)
