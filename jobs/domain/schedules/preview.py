"""Coming slots as people want to see them: UTC, local time, offset, and whether a clock change moved them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from .build import build
from .instants import floor_seconds
from .spec import ScheduleSpec
from .zones import timeline_of


@dataclass(frozen=True, slots=True)
class PreviewSlot:
    """``local`` is the same instant as ``instant`` with the zone's offset of that moment.

    ``moved``: the wall time was skipped by a clock change, and this is the first instant after the gap.
    """

    instant: datetime
    local: datetime
    offset: timedelta
    moved: bool


def preview(spec: ScheduleSpec, after: datetime, count: int) -> list[PreviewSlot]:
    """The first ``count`` slots strictly later than ``after``; fewer where the schedule ends."""
    schedule = build(spec)
    slots: list[PreviewSlot] = []
    instant = schedule.next(after)
    while instant is not None and len(slots) < count:
        local = to_local(instant, spec.timezone)
        offset = local.utcoffset() or timedelta()
        slots.append(PreviewSlot(instant, local, offset, schedule.is_moved(instant)))
        instant = schedule.next(instant)
    return slots


def to_local(instant: datetime, zone: str) -> datetime:
    """The same instant, with the offset that ``zone`` has then."""
    offset = timeline_of(zone).offset_at(floor_seconds(instant, "instant"))
    return instant.astimezone(timezone(timedelta(seconds=offset)))
