"""Schedules in words for people. Where words would get long, the fields are named as written."""

from __future__ import annotations

from datetime import UTC, datetime

from .build import build
from .cron_words import cron_in_words
from .spec import ScheduleSpec

_UNITS = ((86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def describe(spec: ScheduleSpec) -> str:
    """One line about a definition, such as ``At 09:00 on Monday to Friday, Europe/Berlin``."""
    build(spec)
    return _in_words(spec) + _bounds(spec)


def _in_words(spec: ScheduleSpec) -> str:
    match spec.kind:
        case "cron":
            return f"{cron_in_words(spec.cron)}, {spec.timezone}"
        case "interval":
            return _interval(spec.interval_seconds or 1, spec.anchor_at)
        case "calendar":
            every = _every(spec.calendar_every or 1, spec.calendar_unit)
            return f"{every} at {spec.wall_time} from {spec.anchor_date}, {spec.timezone}"
        case "once":
            return f"Once at {_instant(spec.once_at)}"
        case _:
            return "Only when asked for"


def _interval(seconds: int, anchor: datetime | None) -> str:
    size, unit = next((size, unit) for size, unit in _UNITS if seconds % size == 0)
    return _every(seconds // size, unit) + (f", counted from {_instant(anchor)}" if anchor else "")


def _every(number: int, unit: str) -> str:
    return f"Every {unit}" if number == 1 else f"Every {number} {unit}s"


def _bounds(spec: ScheduleSpec) -> str:
    start = f", not before {_instant(spec.start_at)}" if spec.start_at else ""
    end = f", not after {_instant(spec.end_at)}" if spec.end_at else ""
    return start + end


def _instant(moment: datetime | None) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC" if moment else "an unknown time"
