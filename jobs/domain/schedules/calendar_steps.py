"""Every n days, weeks or months at one wall time, counted from an anchor date."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, time

from .base import Schedule
from .instants import DAY
from .timeline import Timeline

UNITS = ("day", "week", "month")
_DAYS_OF_UNIT = {"day": 1, "week": 7}


class CalendarSchedule(Schedule):
    """Step k lies k * every units after the anchor itself, so 31 January, 28 February, 31 March.

    The wall time stays and clock changes follow the FIXED rule of ``timeline``. Nothing precedes the anchor.
    """

    def __init__(self, every: int, unit: str, anchor: date, wall_time: time, zone: Timeline) -> None:
        self._every = every * _DAYS_OF_UNIT.get(unit, 1)
        self._in_months = unit == "month"
        self._anchor = anchor
        self._second = wall_time.hour * 3600 + wall_time.minute * 60 + wall_time.second
        self._zone = zone

    def _next(self, after: int) -> int | None:
        step = max(self._step_near(after) - 1, 0)
        while (wall := self._wall(step)) is not None:
            slot = self._zone.instant_of(wall)
            if slot is not None and slot > after:
                return slot
            step += 1
        return None

    def _previous(self, before: int) -> int | None:
        for step in range(self._step_near(before) + 1, -1, -1):
            wall = self._wall(step)
            slot = None if wall is None else self._zone.instant_of(wall)
            if slot is not None and slot < before:
                return slot
        return None

    def _is_moved(self, slot: int) -> bool:
        return (slot + self._zone.offset_at(slot)) % DAY != self._second

    def _step_near(self, instant: int) -> int:
        """The step of the instant's UTC date; that of its local date is one away at most."""
        day = date.fromordinal(min(max(instant // DAY + 1, 1), date.max.toordinal()))
        if self._in_months:
            return _months_between(self._anchor, day) // self._every
        return (day - self._anchor).days // self._every

    def _wall(self, step: int) -> int | None:
        """The wall time of a step; None when the calendar ends before it."""
        ordinal = self._month_ordinal(step) if self._in_months else self._anchor.toordinal() + step * self._every
        if ordinal is None or ordinal > date.max.toordinal():
            return None
        return (ordinal - 1) * DAY + self._second

    def _month_ordinal(self, step: int) -> int | None:
        years, month = divmod(self._anchor.month - 1 + step * self._every, 12)
        year = self._anchor.year + years
        if year > date.max.year:
            return None
        return date(year, month + 1, min(self._anchor.day, monthrange(year, month + 1)[1])).toordinal()


def _months_between(earlier: date, later: date) -> int:
    return (later.year - earlier.year) * 12 + later.month - earlier.month
