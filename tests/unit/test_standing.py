"""The state of a job in words."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest

from jobs.domain.schedules import ScheduleSpec
from jobs.domain.standing import JobState, Standing, standing

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
HOURLY = ScheduleSpec("cron", cron="0 * * * *")


@dataclass(frozen=True)
class Row:
    """A job and its cursor in one."""

    enabled: bool = True
    paused: bool = False
    paused_until: datetime | None = None
    pause_reason: str = ""
    archived_at: datetime | None = None
    spec: ScheduleSpec = HOURLY
    next_run_at: datetime | None = None
    last_slot: datetime | None = None
    plan_from: datetime = NOW
    plan_needed: bool = True
    error: str = ""
    kind: str = field(init=False, default="cron")

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", self.spec.kind)


def of(row: Row) -> Standing:
    return standing(row, row, NOW)


@pytest.mark.parametrize(
    ("row", "state"),
    [
        (Row(), JobState.ACTIVE),
        (Row(enabled=False), JobState.DISABLED),
        (Row(paused=True), JobState.PAUSED),
        (Row(paused=True, paused_until=NOW), JobState.ACTIVE),
        (Row(error="hour 25"), JobState.PARKED),
        (Row(spec=replace(HOURLY, cron="0 25 * * *")), JobState.PARKED),
        (Row(spec=ScheduleSpec("once", once_at=NOW)), JobState.FINISHED),
        (Row(spec=ScheduleSpec("manual")), JobState.ACTIVE),
        (Row(archived_at=NOW, enabled=False), JobState.ARCHIVED),
    ],
)
def test_each_state_is_told_apart(row: Row, state: JobState) -> None:
    assert of(row).state is state


def test_a_plan_still_to_be_made_starts_after_what_is_accounted_for() -> None:
    assert of(Row()).next_slot == NOW + timedelta(hours=1)
    assert of(Row(last_slot=NOW + timedelta(hours=3))).next_slot == NOW + timedelta(hours=4)


def test_a_plan_that_is_made_is_shown_as_it_is() -> None:
    assert of(Row(plan_needed=False, next_run_at=NOW)).next_slot == NOW


def test_a_pause_that_ends_by_itself_says_what_comes_after_it() -> None:
    end = NOW + timedelta(minutes=90)
    assert of(Row(paused=True, paused_until=end, pause_reason="move")) == Standing(
        JobState.PAUSED, NOW + timedelta(hours=2), "move"
    )


def test_a_pause_of_an_invalid_definition_is_still_shown() -> None:
    row = Row(paused=True, paused_until=NOW + timedelta(hours=1), spec=replace(HOURLY, timezone="Mars"))
    assert of(row).next_slot is None
