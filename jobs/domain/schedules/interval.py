"""Intervals of elapsed time, and schedules of one slot or none."""

from __future__ import annotations

from .base import Schedule


class IntervalSchedule(Schedule):
    """Slot k is ``anchor + k * period`` for k = 0, 1, 2 and on, in UTC: no drift and no clock changes."""

    def __init__(self, anchor: int, period: int) -> None:
        self._anchor = anchor
        self._period = period

    def _next(self, after: int) -> int | None:
        return self._anchor + self._slots_until(after) * self._period

    def _previous(self, before: int) -> int | None:
        steps = (before - self._anchor - 1) // self._period
        return self._anchor + steps * self._period if steps >= 0 else None

    def _count(self, after: int, until: int, cap: int) -> int:
        return max(self._slots_until(until) - self._slots_until(after), 0)

    def _slots_until(self, instant: int) -> int:
        return max((instant - self._anchor) // self._period + 1, 0)


class OnceSchedule(Schedule):
    """One slot."""

    def __init__(self, slot: int) -> None:
        self._slot = slot

    def _next(self, after: int) -> int | None:
        return self._slot if self._slot > after else None

    def _previous(self, before: int) -> int | None:
        return self._slot if self._slot < before else None


class ManualSchedule(Schedule):
    """No slots: runs come by hand, from the API or from a dependency."""

    def _next(self, after: int) -> int | None:
        return None

    def _previous(self, before: int) -> int | None:
        return None
