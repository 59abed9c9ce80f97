"""From a definition to a schedule: every check that a definition must pass."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import TypeVar

from jobs.errors import InvalidScheduleError

from .base import Schedule
from .calendar_steps import UNITS, CalendarSchedule
from .cron import CronSchedule
from .cron_text import parse_cron
from .instants import exact_seconds, require_aware
from .interval import IntervalSchedule, ManualSchedule, OnceSchedule
from .spec import KINDS, ScheduleSpec
from .zones import timeline_of

_UNIX_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BEFORE_ALL = datetime.min.replace(tzinfo=UTC)

# By this year the listed changes of all zones are over and each keeps one yearly rule for good.
_SETTLED = datetime(2200, 1, 1, tzinfo=UTC)
_LONGEST_SECONDS = 100 * 366 * 86_400
_MOST_UNITS = 10_000

_FIELDS_OF_KIND = {
    "cron": ("cron",),
    "interval": ("interval_seconds", "anchor_at"),
    "calendar": ("calendar_every", "calendar_unit", "anchor_date", "wall_time"),
    "once": ("once_at",),
    "manual": (),
}

_Value = TypeVar("_Value")


@lru_cache(maxsize=32768)
def build(spec: ScheduleSpec) -> Schedule:
    """The schedule of ``spec``; raises InvalidScheduleError with the name of the field at fault."""
    if spec.kind not in KINDS:
        raise InvalidScheduleError("kind", f'Kind "{spec.kind}" is unknown; allowed are {", ".join(KINDS)}.')
    timeline_of(spec.timezone)
    _refuse_foreign_fields(spec)
    _check_bounds(spec)
    schedule = _BUILDERS[spec.kind](spec)
    schedule.set_bounds(spec.start_at, spec.end_at)
    if spec.kind != "manual" and schedule.next(_BEFORE_ALL) is None:
        raise InvalidScheduleError(*_nothing_within_bounds(spec))
    return schedule


def _refuse_foreign_fields(spec: ScheduleSpec) -> None:
    for kind, names in _FIELDS_OF_KIND.items():
        for name in names:
            if kind != spec.kind and getattr(spec, name) not in (None, ""):
                raise InvalidScheduleError(
                    name, f'{name} belongs to kind "{kind}"; leave it empty for kind "{spec.kind}".'
                )


def _check_bounds(spec: ScheduleSpec) -> None:
    start = spec.start_at and require_aware(spec.start_at, "start_at")
    end = spec.end_at and require_aware(spec.end_at, "end_at")
    if start and end and start > end:
        raise InvalidScheduleError(
            "end_at", f"end_at {end.isoformat()} is before start_at {start.isoformat()}; make it later."
        )


def _nothing_within_bounds(spec: ScheduleSpec) -> tuple[str, str]:
    field = "end_at" if spec.end_at else "start_at" if spec.start_at else _FIELDS_OF_KIND[spec.kind][0]
    return field, "The schedule has no slot between its start and its end; widen them or change it."


def _cron(spec: ScheduleSpec) -> Schedule:
    schedule = CronSchedule(parse_cron(spec.cron), timeline_of(spec.timezone))
    if schedule.next(_SETTLED) is None:
        raise InvalidScheduleError(
            "cron",
            f'Cron "{spec.cron}" is invalid: it never fires in {spec.timezone}, where clock changes skip '
            "every time it names; choose another hour, or write minute and hour without a star.",
        )
    return schedule


def _interval(spec: ScheduleSpec) -> Schedule:
    seconds = _required(spec.interval_seconds, "interval_seconds")
    if not 1 <= seconds <= _LONGEST_SECONDS:
        raise InvalidScheduleError(
            "interval_seconds", f"An interval of {seconds} s is outside 1-{_LONGEST_SECONDS} s (a hundred years)."
        )
    return IntervalSchedule(exact_seconds(spec.anchor_at or _UNIX_EPOCH, "anchor_at"), seconds)


def _calendar(spec: ScheduleSpec) -> Schedule:
    every = _required(spec.calendar_every, "calendar_every")
    anchor = _required(spec.anchor_date, "anchor_date")
    wall_time = _required(spec.wall_time, "wall_time")
    if not 1 <= every <= _MOST_UNITS:
        raise InvalidScheduleError("calendar_every", f"Every {every} units is outside 1-{_MOST_UNITS}.")
    if spec.calendar_unit not in UNITS:
        raise InvalidScheduleError(
            "calendar_unit", f'Unit "{spec.calendar_unit}" is unknown; allowed are {", ".join(UNITS)}.'
        )
    if wall_time.microsecond or wall_time.tzinfo is not None:
        raise InvalidScheduleError(
            "wall_time", f"Wall time {wall_time} must be whole seconds without an offset; the zone gives that."
        )
    return CalendarSchedule(every, spec.calendar_unit, anchor, wall_time, timeline_of(spec.timezone))


def _once(spec: ScheduleSpec) -> Schedule:
    return OnceSchedule(exact_seconds(_required(spec.once_at, "once_at"), "once_at"))


def _manual(spec: ScheduleSpec) -> Schedule:
    return ManualSchedule()


def _required(value: _Value | None, field: str) -> _Value:
    if value is None:
        raise InvalidScheduleError(field, f"{field} is missing; this kind of schedule needs it.")
    return value


_BUILDERS: dict[str, Callable[[ScheduleSpec], Schedule]] = {
    "cron": _cron,
    "interval": _interval,
    "calendar": _calendar,
    "once": _once,
    "manual": _manual,
}
