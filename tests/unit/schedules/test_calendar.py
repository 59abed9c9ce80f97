from __future__ import annotations

from datetime import date, time

import pytest

from jobs.domain.schedules import Schedule, ScheduleSpec, build
from jobs.errors import InvalidScheduleError

from .helpers import at, following, iso


def calendar(every: int, unit: str, anchor: str, wall: str = "09:00", zone: str = "UTC") -> Schedule:
    return build(
        ScheduleSpec(
            kind="calendar",
            calendar_every=every,
            calendar_unit=unit,
            anchor_date=date.fromisoformat(anchor),
            wall_time=time.fromisoformat(wall),
            timezone=zone,
        )
    )


def test_months_count_from_the_anchor_and_are_clipped():
    slots = following(calendar(1, "month", "2026-01-31"), at("2026-01-01"), 4)
    assert iso(slots) == ["2026-01-31T09:00", "2026-02-28T09:00", "2026-03-31T09:00", "2026-04-30T09:00"]


def test_a_quarter_from_30_november_meets_the_leap_day():
    slots = following(calendar(3, "month", "2027-11-30"), at("2027-12-01"), 2)
    assert iso(slots) == ["2028-02-29T09:00", "2028-05-30T09:00"]


def test_weeks_and_days_keep_their_wall_time_over_clock_changes():
    weeks = following(calendar(2, "week", "2026-03-01", zone="America/New_York"), at("2026-03-01"), 3)
    assert iso(weeks) == ["2026-03-01T14:00", "2026-03-15T13:00", "2026-03-29T13:00"]
    days = following(calendar(3, "day", "2026-10-22", "02:30", "Europe/Berlin"), at("2026-10-22"), 3)
    assert iso(days) == ["2026-10-22T00:30", "2026-10-25T00:30", "2026-10-28T01:30"]


def test_a_skipped_wall_time_fires_after_the_gap():
    schedule = calendar(1, "day", "2026-03-28", "02:30", "Europe/Berlin")
    slots = following(schedule, at("2026-03-28"), 3)
    assert iso(slots) == ["2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"]
    assert [schedule.is_moved(slot) for slot in slots] == [False, True, False]


def test_a_skipped_day_is_not_made_up():
    slots = following(calendar(1, "day", "2011-12-29", "09:00", "Pacific/Apia"), at("2011-12-29"), 2)
    assert iso(slots) == ["2011-12-29T19:00", "2011-12-30T19:00"]


def test_nothing_precedes_the_anchor():
    schedule = calendar(1, "week", "2026-01-05")
    assert schedule.next(at("0001-01-01")) == at("2026-01-05T09:00")
    assert schedule.previous(at("2026-01-05T09:00")) is None
    assert schedule.previous(at("2026-01-05T09:01")) == at("2026-01-05T09:00")


@pytest.mark.parametrize("unit", ["day", "week", "month"])
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Africa/Casablanca"])
@pytest.mark.parametrize("wall", ["00:00", "23:59:59"])
def test_previous_undoes_next(unit, zone, wall):
    schedule = calendar(1, unit, "2025-01-31", wall, zone)
    slots = following(schedule, at("2025-01-01"), 400)
    assert [schedule.previous(slot) for slot in slots] == [None, *slots[:-1]]
    assert schedule.count(at("2025-01-01"), slots[-1], 10**6) == 400


def test_it_ends_with_the_calendar():
    assert calendar(10_000, "month", "9000-01-01").next(at("9900-01-01")) is None


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ((0, "day", "2026-01-01"), "calendar_every"),
        ((10_001, "day", "2026-01-01"), "calendar_every"),
        ((1, "year", "2026-01-01"), "calendar_unit"),
        ((1, "day", "2026-01-01", "09:00:00.5"), "wall_time"),
        ((1, "day", "2026-01-01", "09:00+01:00"), "wall_time"),
    ],
)
def test_bad_fields_are_named(arguments, field):
    with pytest.raises(InvalidScheduleError) as caught:
        calendar(*arguments)
    assert caught.value.field == field
