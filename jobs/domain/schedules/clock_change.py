"""The next change of a zone's clocks, and which rule holds for a schedule then, in words."""

from __future__ import annotations

from bisect import bisect_right
from datetime import datetime

from .build import build
from .cron_text import parse_cron
from .instants import DAY, cycle_shift, floor_seconds, to_datetime
from .spec import ScheduleSpec
from .timeline import NOT_A_CLOCK_CHANGE, Timeline
from .zones import timeline_of

_LOOK_AHEAD = 400 * DAY


def clock_change(spec: ScheduleSpec, after: datetime) -> str:
    """Two sentences; empty where the clocks do not change within the next 400 days, or the schedule goes by none."""
    if spec.kind not in ("cron", "calendar"):
        return ""
    build(spec)
    zone = timeline_of(spec.timezone)
    instant = floor_seconds(after, "after")
    shift = cycle_shift(instant)
    index = bisect_right(zone.starts, instant - shift)
    if index == len(zone.starts) or zone.starts[index] > instant - shift + _LOOK_AHEAD:
        return ""
    return f"{_change(zone, index, shift)} {_rule(spec, zone, index)}"


def _change(zone: Timeline, index: int, shift: int) -> str:
    was, becomes = zone.shows_until[index - 1] + shift, zone.shows_from[index] + shift
    way = "forward" if becomes > was else "back"
    to = _wall(becomes) if was // DAY == becomes // DAY else f"{_day(becomes)} {_wall(becomes)}"
    return f"The clocks go {way} on {_day(was)} from {_wall(was)} to {to}."


def _rule(spec: ScheduleSpec, zone: Timeline, index: int) -> str:
    was, becomes = zone.shows_until[index - 1], zone.shows_from[index]
    is_fixed = spec.kind == "calendar" or not parse_cron(spec.cron).is_wild
    is_fixed &= abs(becomes - was) < NOT_A_CLOCK_CHANGE
    if becomes > was:
        return f"A skipped time fires at {_wall(becomes)}, once." if is_fixed else "No skipped time is made up."
    return "A repeated time fires the first time only." if is_fixed else "A repeated time fires both times."


def _day(seconds: int) -> str:
    return f"{to_datetime(seconds):%a %Y-%m-%d}"


def _wall(seconds: int) -> str:
    return f"{to_datetime(seconds):%H:%M}"
