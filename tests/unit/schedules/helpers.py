"""Short ways to say zones, instants and slots."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from jobs.domain.schedules import Schedule, ScheduleSpec, build

CASES = Path(__file__).parents[2] / "cases"


def cron_spec(expression: str, zone: str = "UTC") -> ScheduleSpec:
    return ScheduleSpec(kind="cron", cron=expression, timezone=zone)


def cron(expression: str, zone: str = "UTC") -> Schedule:
    return build(cron_spec(expression, zone))


def at(text: str) -> datetime:
    """An instant, in UTC unless the text says an offset."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def following(schedule: Schedule, after: datetime, count: int) -> list[datetime]:
    """``count`` slots, each found afresh from the one before."""
    slots: list[datetime] = []
    while len(slots) < count and (slot := schedule.next(after)) is not None:
        slots.append(slot)
        after = slot
    return slots


def iso(slots: list[datetime]) -> list[str]:
    return [f"{slot:%Y-%m-%dT%H:%M}" for slot in slots]
