"""Definitions: which fields go together, and bounds."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time

import pytest

from jobs.domain.schedules import KINDS, ScheduleSpec, build
from jobs.errors import InvalidScheduleError

from .helpers import at, following, iso

DAILY = ScheduleSpec(kind="cron", cron="0 9 * * *")
FOREIGN = {
    "cron": "* * * * *",
    "interval_seconds": 60,
    "anchor_at": at("2026-01-01"),
    "calendar_every": 1,
    "calendar_unit": "day",
    "anchor_date": date(2026, 1, 1),
    "wall_time": time(0),
    "once_at": at("2026-01-01"),
}


def refusal(spec: ScheduleSpec) -> InvalidScheduleError:
    with pytest.raises(InvalidScheduleError) as caught:
        build(spec)
    return caught.value


@pytest.mark.parametrize("field", FOREIGN)
def test_fields_of_other_kinds_are_refused(field):
    error = refusal(replace(ScheduleSpec(kind="manual"), **{field: FOREIGN[field]}))
    assert error.field == field
    assert "leave it empty" in str(error)


@pytest.mark.parametrize(
    ("kind", "field"),
    [("cron", "cron"), ("interval", "interval_seconds"), ("calendar", "calendar_every"), ("once", "once_at")],
)
def test_each_kind_needs_its_fields(kind, field):
    assert refusal(ScheduleSpec(kind=kind)).field == field


def test_unknown_kind_is_refused_with_the_known_ones():
    assert all(kind in str(refusal(ScheduleSpec(kind="solar"))) for kind in KINDS)


def test_bounds_are_inclusive():
    spec = replace(DAILY, start_at=at("2026-01-02T09:00"), end_at=at("2026-01-04T09:00"))
    schedule = build(spec)
    slots = following(schedule, at("2020-01-01"), 9)
    assert iso(slots) == ["2026-01-02T09:00", "2026-01-03T09:00", "2026-01-04T09:00"]
    assert schedule.previous(at("2030-01-01")) == slots[-1]
    assert schedule.previous(slots[0]) is None
    assert schedule.count(at("2020-01-01"), at("2030-01-01"), 100) == 3
    assert schedule.latest(at("2020-01-01"), at("2030-01-01"), 2) == slots[1:]


def test_bounds_with_fractions_take_in_no_slot_outside():
    start = at("2026-01-02T09:00:00.000001")
    assert build(replace(DAILY, start_at=start)).next(at("2020-01-01")) == at("2026-01-03T09:00")


@pytest.mark.parametrize(
    ("bounds", "field"),
    [
        ({"start_at": at("2026-02-01"), "end_at": at("2026-01-01")}, "end_at"),
        ({"start_at": at("2026-01-01T10:00"), "end_at": at("2026-01-01T11:00")}, "end_at"),
        ({"start_at": datetime(2026, 1, 1)}, "start_at"),
        ({"end_at": datetime(2026, 1, 1)}, "end_at"),
        ({"timezone": "Mars/Olympus"}, "timezone"),
    ],
)
def test_impossible_bounds_are_refused(bounds, field):
    assert refusal(replace(DAILY, **bounds)).field == field


def test_a_slot_with_fractions_of_a_second_is_refused():
    assert refusal(ScheduleSpec(kind="once", once_at=at("2026-01-01T00:00:00.5"))).field == "once_at"


def test_naive_arguments_are_refused():
    for call in (build(DAILY).next, build(DAILY).previous):
        with pytest.raises(InvalidScheduleError, match="no UTC offset"):
            call(datetime(2026, 1, 1))


def test_a_fraction_after_a_slot_is_after_it():
    schedule = build(DAILY)
    assert schedule.next(at("2026-01-01T08:59:59.999999")) == at("2026-01-01T09:00")
    assert schedule.next(at("2026-01-01T09:00:00.000001")) == at("2026-01-02T09:00")
    assert schedule.previous(at("2026-01-01T09:00:00.000001")) == at("2026-01-01T09:00")


def test_equal_definitions_share_one_schedule():
    assert build(replace(DAILY)) is build(DAILY)
