"""Cron schedules: named wall times, laid on a zone's timeline."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from .base import Schedule
from .cron_days import days_by_year_shape
from .cron_text import CronText
from .instants import DAY, SEARCH_YEARS, cycle_end, cycle_shift
from .timeline import Timeline
from .wall_times import WallTimes

_SEARCH_SPAN = SEARCH_YEARS * 366 * DAY


class CronSchedule(Schedule):
    """Slots of a cron text in a zone, by Debian cron's rule for clock changes (see ``timeline``)."""

    def __init__(self, text: CronText, zone: Timeline) -> None:
        self._times = WallTimes(text.day_minutes, days_by_year_shape(text.days))
        self._zone = zone
        self._starts, self._offsets, self._until = zone.starts, zone.offsets, zone.shows_until
        self._from = zone.shows_from if text.is_wild else zone.fixed_from

    def _next(self, after: int) -> int | None:
        shift = cycle_shift(after)
        slot = self._search_forward(after - shift)
        return None if slot is None else slot + shift

    def _previous(self, before: int) -> int | None:
        shift = cycle_shift(before)
        slot = self._search_backward(before - shift)
        return None if slot is None else slot + shift

    def _count(self, after: int, until: int, cap: int) -> int:
        total = 0
        while after < until:
            shift, end = cycle_shift(after), min(until, cycle_end(after))
            total += self._count_in_tables(after - shift, end - shift)
            after = end
        return total

    def _is_moved(self, slot: int) -> bool:
        return slot + self._zone.offset_at(slot) not in self._times

    def _search_forward(self, after: int) -> int | None:
        index = bisect_right(self._starts, after) - 1
        lower = max(self._from[index], after + self._offsets[index] + 1)
        wall = self._times.first_from(lower)
        while wall is not None:
            if wall < self._until[index]:
                return max(wall - self._offsets[index], self._starts[index])
            index += 1
            if self._starts[index] > after + _SEARCH_SPAN:
                return None
            if not lower <= self._from[index] <= wall:
                wall = self._times.first_from(self._from[index])
            lower = self._from[index]
        return None

    def _search_backward(self, before: int) -> int | None:
        index = bisect_left(self._starts, before) - 1
        upper = min(self._until[index], before + self._offsets[index])
        wall = self._times.last_before(upper)
        while wall is not None:
            if wall >= self._from[index]:
                return max(wall - self._offsets[index], self._starts[index])
            if self._starts[index] < before - _SEARCH_SPAN:
                return None
            index -= 1
            if not wall < self._until[index] <= upper:
                wall = self._times.last_before(self._until[index])
            upper = self._until[index]
        return None

    def _count_in_tables(self, after: int, until: int) -> int:
        first, last = bisect_right(self._starts, after) - 1, bisect_right(self._starts, until) - 1
        total = 0
        for index in range(first, last + 1):
            offset, shown = self._offsets[index], self._zone.shows_from[index]
            lower = max(self._from[index], shown, after + offset + 1)
            total += self._times.count(lower, min(self._until[index], until + offset + 1))
            total += index > first and self._moves_one_to(index)
        return total

    def _moves_one_to(self, index: int) -> bool:
        """Whether the change at ``starts[index]`` skips named times and is none itself."""
        shown = self._zone.shows_from[index]
        return self._times.count(self._from[index], shown) > 0 and shown not in self._times
