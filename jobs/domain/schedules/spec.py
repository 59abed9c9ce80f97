"""The definition of a schedule, as plain hashable values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time

KINDS = ("cron", "interval", "calendar", "once", "manual")


@dataclass(frozen=True, slots=True)
class ScheduleSpec:
    """What a user asked for; nothing here is checked until :func:`build`.

    Only the fields of the chosen ``kind`` may be set. ``timezone`` gives cron and calendar schedules their
    wall clock and the others only their display. ``start_at`` and ``end_at`` are inclusive.
    """

    kind: str
    cron: str = ""
    interval_seconds: int | None = None
    anchor_at: datetime | None = None
    calendar_every: int | None = None
    calendar_unit: str = ""
    anchor_date: date | None = None
    wall_time: time | None = None
    once_at: datetime | None = None
    timezone: str = "UTC"
    start_at: datetime | None = None
    end_at: datetime | None = None
