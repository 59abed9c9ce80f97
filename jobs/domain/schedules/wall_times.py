"""The wall times that a cron text names: whole minutes of chosen days, with no zone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from .bits import next_bit, previous_bit
from .instants import DAY, SEARCH_YEARS

_LAST_YEAR = 9999
_WEEK = 7


class WallTimes:
    """Minutes of the day and days of the 14 shapes of year, as bits; all methods count in wall seconds."""

    __slots__ = ("_days", "_first_minute", "_last_minute", "_minutes")

    def __init__(self, day_minutes: int, days_by_year_shape: Sequence[int]) -> None:
        self._minutes = day_minutes
        self._days = days_by_year_shape
        self._first_minute = next_bit(day_minutes, 0)
        self._last_minute = previous_bit(day_minutes, 1440)

    def __contains__(self, wall: int) -> bool:
        return self.first_from(wall) == wall

    def first_from(self, wall: int) -> int | None:
        """The earliest named time at ``wall`` or later, within a hundred years."""
        day, second = divmod(wall, DAY)
        found = self._first_day_from(day)
        if found is None:
            return None
        if found == day:
            minute = next_bit(self._minutes, (second + 59) // 60)
            if minute >= 0:
                return day * DAY + minute * 60
            found = self._first_day_from(day + 1)
        return None if found is None else found * DAY + self._first_minute * 60

    def last_before(self, wall: int) -> int | None:
        """The latest named time before ``wall``, within a hundred years."""
        day, second = divmod(wall, DAY)
        found = self._last_day_until(day)
        if found is None:
            return None
        if found == day:
            minute = previous_bit(self._minutes, (second + 59) // 60)
            if minute >= 0:
                return day * DAY + minute * 60
            found = self._last_day_until(day - 1)
        return None if found is None else found * DAY + self._last_minute * 60

    def count(self, lower: int, upper: int) -> int:
        """How many named times are in [lower, upper)."""
        if lower >= upper:
            return 0
        (first, lower_second), (last, upper_second) = divmod(lower, DAY), divmod(upper, DAY)
        whole_days = self._days_between(first, last) * self._minutes.bit_count()
        return whole_days - self._minutes_before(first, lower_second) + self._minutes_before(last, upper_second)

    def _minutes_before(self, day: int, second: int) -> int:
        if self._first_day_from(day) != day:
            return 0
        return (self._minutes & ((1 << (second + 59) // 60) - 1)).bit_count()

    def _days_between(self, first: int, end: int) -> int:
        """How many chosen days are in [first, end)."""
        total = 0
        for each in range(_year_of(first), min(_year_of(end + 2), _LAST_YEAR) + 1):
            new_year, shape, length = _year(each)
            since = max(first - new_year, 0)
            until = max(min(end - new_year, length), 0)
            total += ((self._days[shape] & (1 << until) - 1) >> since).bit_count()
        return total

    def _first_day_from(self, day: int) -> int | None:
        year = _year_of(day)
        for each in range(year, min(year + SEARCH_YEARS, _LAST_YEAR) + 1):
            new_year, shape, _length = _year(each)
            found = next_bit(self._days[shape], max(day - new_year, 0))
            if found >= 0:
                return new_year + found
        return None

    def _last_day_until(self, day: int) -> int | None:
        year = _year_of(day + 2)
        for each in range(year, max(year - SEARCH_YEARS, 1) - 1, -1):
            new_year, shape, length = _year(each)
            found = previous_bit(self._days[shape], max(min(day - new_year + 1, length), 0))
            if found >= 0:
                return new_year + found
        return None


def _year_of(day: int) -> int:
    """The year of a day number, by mean length: right, or one too early for its first two days; at least 1."""
    return max(day * 400 // 146_097, 0) + 1


@cache
def _year(year: int) -> tuple[int, int, int]:
    """Day number of 1 January, shape (``7 * is_leap + its weekday from Sunday``), and length in days."""
    past = year - 1
    new_year = past * 365 + past // 4 - past // 100 + past // 400
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return new_year, _WEEK * is_leap + (new_year + 1) % _WEEK, 365 + is_leap
