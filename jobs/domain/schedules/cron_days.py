"""The two day fields and the month field: which days of a year they choose."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from .bits import members, previous_bit
from .cron_field import DAY_OF_MONTH, DAY_OF_WEEK, MONTH, FieldError, clip, parse_field

_NEAREST = re.compile(r"([0-9]+)W")
_LAST_WEEKDAY = re.compile(r"([0-9]|[A-Z]{3})L")
_NTH_WEEKDAY = re.compile(r"([0-9]|[A-Z]{3})#([0-9]+)")
_SUNDAY, _SATURDAY = 0, 6
_EVERY_SEVENTH = 1 | 1 << 7 | 1 << 14 | 1 << 21 | 1 << 28


@dataclass(slots=True)
class _Specials:
    """Collects the items that depend on the month, while a field is read."""

    last_day: bool = False
    last_working_day: bool = False
    nearest: set[int] = field(default_factory=set)
    last_of: set[int] = field(default_factory=set)
    nth_of: set[tuple[int, int]] = field(default_factory=set)

    def take_day_of_month(self, item: str) -> bool:
        """Take ``L``, ``LW`` or ``15W``."""
        if item == "L":
            self.last_day = True
        elif item == "LW":
            self.last_working_day = True
        elif match := _NEAREST.fullmatch(item):
            self.nearest.add(DAY_OF_MONTH.number(match[1]))
        else:
            return False
        return True

    def take_day_of_week(self, item: str) -> bool:
        """Take ``5L`` or ``2#3``."""
        if item == "L" or (item.startswith("L") and item[1:].isdigit()):
            raise FieldError(f'day of week "{clip(item)}" is not understood; the last Friday is 5L.')
        if match := _LAST_WEEKDAY.fullmatch(item):
            self.last_of.add(DAY_OF_WEEK.number(match[1]) % 7)
        elif match := _NTH_WEEKDAY.fullmatch(item):
            self.nth_of.add((DAY_OF_WEEK.number(match[1]) % 7, _nth(match[2])))
        else:
            return False
        return True


@dataclass(frozen=True, slots=True)
class DayRule:
    """Months and days as bits, and the items that depend on the month."""

    months: int
    days: int
    weekdays: int
    both_must_match: bool
    last_day: bool
    last_working_day: bool
    nearest: frozenset[int]
    last_of: frozenset[int]
    nth_of: frozenset[tuple[int, int]]

    def month_days(self, first_weekday: int, length: int) -> int:
        """The chosen days of a month, day 1 in bit 1; its first day's weekday counts from Sunday."""
        by_date = self._by_date(first_weekday, length)
        by_weekday = self._by_weekday(first_weekday, length)
        return by_date & by_weekday if self.both_must_match else by_date | by_weekday

    def _by_date(self, first_weekday: int, length: int) -> int:
        mask = self.days & _month(length)
        if self.last_day:
            mask |= 1 << length
        working_days = {length} if self.last_working_day else set()
        working_days |= {day for day in self.nearest if day <= length}
        for day in working_days:
            mask |= 1 << _nearest_working_day(day, first_weekday, length)
        return mask

    def _by_weekday(self, first_weekday: int, length: int) -> int:
        mask = 0
        for weekday in members(self.weekdays):
            mask |= _weekday_mask(weekday, first_weekday)
        for weekday in self.last_of:
            mask |= 1 << previous_bit(_weekday_mask(weekday, first_weekday), length + 1)
        for weekday, nth in self.nth_of:
            mask |= 2 << ((weekday - first_weekday) % 7 + 7 * (nth - 1))
        return mask & _month(length)


def parse_days(day_of_month: str, month: str, day_of_week: str) -> DayRule:
    """Read the three fields; both day fields must match if either starts with a star."""
    specials = _Specials()
    days = parse_field(DAY_OF_MONTH, day_of_month, specials.take_day_of_month)
    months = parse_field(MONTH, month)
    weekdays = parse_field(DAY_OF_WEEK, day_of_week, specials.take_day_of_week)
    return DayRule(
        months=months,
        days=days,
        weekdays=weekday_bits(weekdays),
        both_must_match=day_of_month.startswith("*") or day_of_week.startswith("*"),
        last_day=specials.last_day,
        last_working_day=specials.last_working_day,
        nearest=frozenset(specials.nearest),
        last_of=frozenset(specials.last_of),
        nth_of=frozenset(specials.nth_of),
    )


def weekday_bits(numbers: int) -> int:
    """Numbers of the field, 7 read as 0: Sunday is both."""
    return (numbers | numbers >> 7) & 0b111_1111


@lru_cache(maxsize=1024)
def days_by_year_shape(rule: DayRule) -> tuple[int, ...]:
    """The chosen days of the 14 kinds of year: index ``7 * is_leap + weekday of 1 January``, that day in bit 0."""
    return tuple(_year_days(rule, weekday, february) for february in (28, 29) for weekday in range(7))


def _year_days(rule: DayRule, first_weekday: int, february: int) -> int:
    mask = start = 0
    for month, length in enumerate((31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31), 1):
        if rule.months >> month & 1:
            mask |= rule.month_days((first_weekday + start) % 7, length) >> 1 << start
        start += length
    return mask


def _nearest_working_day(day: int, first_weekday: int, length: int) -> int:
    weekday = (first_weekday + day - 1) % 7
    if weekday == _SATURDAY:
        return day - 1 if day > 1 else day + 2
    if weekday == _SUNDAY:
        return day + 1 if day < length else day - 2
    return day


def _weekday_mask(weekday: int, first_weekday: int) -> int:
    return _EVERY_SEVENTH << 1 + (weekday - first_weekday) % 7


def _month(length: int) -> int:
    return (1 << length + 1) - 2


def _nth(text: str) -> int:
    if text not in ("1", "2", "3", "4", "5"):
        raise FieldError(f"day of week #{clip(text)} is outside 1-5; the third Tuesday is 2#3.")
    return int(text)
