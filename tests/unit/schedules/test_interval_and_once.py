from __future__ import annotations

from datetime import UTC, datetime

import pytest

from jobs.domain.schedules import ScheduleSpec, build, parse_wall
from jobs.errors import InvalidScheduleError

from .helpers import at, following, iso


def interval(seconds: int, anchor: str | None = None):
    return build(ScheduleSpec(kind="interval", interval_seconds=seconds, anchor_at=at(anchor) if anchor else None))


def test_interval_counts_elapsed_time_from_its_anchor():
    slots = following(interval(5400, "2026-03-08T00:07"), at("2026-03-08T09:00"), 2)
    assert iso(slots) == ["2026-03-08T09:07", "2026-03-08T10:37"]


def test_interval_starts_at_its_anchor():
    schedule = interval(60, "2026-01-01T00:00:30")
    assert schedule.next(at("2025-01-01")) == at("2026-01-01T00:00:30")
    assert schedule.previous(at("2026-01-01T00:00:30")) is None


def test_interval_without_anchor_counts_from_the_unix_epoch():
    assert interval(300).next(at("2026-01-01T00:01")) == at("2026-01-01T00:05")


def test_interval_counts_a_long_gap_without_walking_it():
    assert interval(1).count(at("2026-01-01"), at("2027-01-01"), 10**9) == 365 * 86_400
    assert interval(1).count(at("2026-01-01"), at("2027-01-01"), 100) == 100


@pytest.mark.parametrize("seconds", [0, -5, 10**12])
def test_interval_outside_its_limits_is_refused(seconds):
    with pytest.raises(InvalidScheduleError, match="outside") as caught:
        interval(seconds)
    assert caught.value.field == "interval_seconds"


def test_once_has_one_slot():
    schedule = build(ScheduleSpec(kind="once", once_at=at("2026-05-01T12:00")))
    assert schedule.between(at("2000-01-01"), at("2100-01-01")) == [at("2026-05-01T12:00")]
    assert schedule.next(at("2026-05-01T12:00")) is None
    assert schedule.previous(at("2026-05-01T12:00")) is None


def test_manual_has_none():
    schedule = build(ScheduleSpec(kind="manual"))
    assert schedule.next(at("2026-01-01")) is None
    assert schedule.previous(at("2026-01-01")) is None


@pytest.mark.parametrize(
    ("text", "zone", "instant"),
    [
        ("2026-03-29T02:30", "Europe/Berlin", "2026-03-29T01:00"),
        ("2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30"),
        ("2026-10-25T02:30:00+01:00", "Europe/Berlin", "2026-10-25T01:30"),
        ("2026-10-04 02:15", "Australia/Lord_Howe", "2026-10-03T15:30"),
        ("2026-01-01T12:00", "America/New_York", "2026-01-01T17:00"),
        ("2626-03-29T02:30", "UTC", "2626-03-29T02:30"),
    ],
)
def test_wall_time_becomes_an_instant(text, zone, instant):
    assert parse_wall(text, zone) == at(instant)
    assert parse_wall(datetime.fromisoformat(text), zone).tzinfo is UTC


@pytest.mark.parametrize(
    ("text", "zone", "words"),
    [
        ("2011-12-30T12:00", "Pacific/Apia", "does not exist"),
        ("tomorrow", "UTC", "not a date and time"),
        ("2026-01-01", "UTC", "not a date and time"),
        ("2026-01-01T00:00:00.5", "UTC", "whole seconds"),
        ("9999-12-31T23:59", "UTC", "outside the years"),
        ("2026-01-01T00:00", "Mars/Olympus", "unknown"),
    ],
)
def test_wall_time_that_cannot_be_is_refused(text, zone, words):
    with pytest.raises(InvalidScheduleError, match=words):
        parse_wall(text, zone)
