"""Day items that depend on the month, and dates that are rare."""

from __future__ import annotations

import pytest

from jobs.errors import InvalidScheduleError

from .helpers import at, cron, following


def dates(expression: str, after: str, count: int) -> list[str]:
    return [f"{slot:%y-%m-%d}" for slot in following(cron(expression), at(after), count)]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("0 0 L * *", ["26-01-31", "26-02-28", "26-03-31"]),
        ("0 0 * * 5#5", ["26-01-30", "26-05-29", "26-07-31"]),
        ("0 0 * * 5L", ["26-01-30", "26-02-27"]),
        ("0 0 * * friL", ["26-01-30", "26-02-27"]),
        ("0 0 LW * *", ["26-01-30", "26-02-27", "26-03-31"]),
        ("0 0 15W * *", ["26-01-15", "26-02-16", "26-03-16"]),
        ("0 0 1W 8 *", ["26-08-03"]),
        ("0 0 31W * *", ["26-01-30", "26-03-31", "26-05-29", "26-07-31"]),
        ("0 0 * * 7#1", ["26-01-04", "26-02-01"]),
        ("0 0 * * 1/2", ["26-01-02", "26-01-04", "26-01-05"]),
    ],
)
def test_b041_days_of_2026(expression, expected):
    assert dates(expression, "2026-01-01", len(expected)) == expected


@pytest.mark.parametrize("expression", ["0 0 * * 7", "0 0 * * SUN", "0 0 * * 0", "0 0 * * 7-7"])
def test_b027_seven_is_sunday(expression):
    assert dates(expression, "2026-01-01", 2) == ["26-01-04", "26-01-11"]


def test_b027_seven_ends_a_range_and_eight_is_no_day():
    assert dates("0 0 * * 0-7", "2026-01-01", 3) == ["26-01-02", "26-01-03", "26-01-04"]
    assert dates("0 0 * * 5-7", "2026-01-05", 4) == ["26-01-09", "26-01-10", "26-01-11", "26-01-16"]
    with pytest.raises(InvalidScheduleError, match="day of week 8 is outside 0-7"):
        cron("0 0 * * 8")


@pytest.mark.parametrize("expression", ["0 0 * * 5-7", "0 0 * * FRI-SUN", "0 0 * * fri-7"])
def test_b028_a_range_may_end_on_sunday(expression):
    assert dates(expression, "2026-01-01T00:00", 4) == ["26-01-02", "26-01-03", "26-01-04", "26-01-09"]


@pytest.mark.parametrize("expression", ["0 0 * * MON-SUN", "0 0 * * 1-7", "0 0 * * 0-6"])
def test_b028_a_week_may_be_written_as_a_range(expression):
    assert dates(expression, "2026-01-01T00:00", 7) == [f"26-01-0{day}" for day in range(2, 9)]


def test_b031_leap_days():
    schedule = cron("0 9 29 2 *")
    assert schedule.next(at("2026-01-01")) == at("2028-02-29T09:00")
    assert schedule.next(at("2096-03-01")) == at("2104-02-29T09:00")
    assert schedule.previous(at("2104-02-29T09:00")) == at("2096-02-29T09:00")
    assert cron("0 0 29 * *").previous(at("2024-03-15")) == at("2024-02-29")


@pytest.mark.parametrize("expression", ["0 9 29 2 *", "0 9 L 2 *", "*/5 * * * *", "0 9 * * 4#5", "@yearly"])
def test_b031_on_the_leap_day_itself_both_directions_are_found(expression):
    schedule = cron(expression)
    for hour in range(24):
        now = at(f"2024-02-29T{hour:02}:30")
        assert schedule.previous(now) <= now < schedule.next(now)


def test_b042_macros_and_names_are_those_of_cron():
    assert dates("@daily", "2026-01-01", 2) == ["26-01-02", "26-01-03"]
    assert dates("@weekly", "2026-01-01", 2) == ["26-01-04", "26-01-11"]
    assert cron("@hourly").next(at("2026-01-01")) == at("2026-01-01T01:00")
    assert dates("0 0 * * 2", "2026-01-01", 1) == dates("0 0 * * tUe", "2026-01-01", 1) == ["26-01-06"]
    assert dates("0 0 * * Mon,WED", "2026-01-01", 2) == ["26-01-05", "26-01-07"]


def test_a_leap_day_on_one_weekday_is_found_across_2100():
    schedule = cron("0 0 */28 2 1#5")
    assert schedule.next(at("2072-03-01")) == at("2112-02-29")
    assert schedule.previous(at("2112-02-29")) == at("2072-02-29")


def test_the_first_and_last_days_of_years_are_found_backwards():
    schedule = cron("0 0 1 1 *")
    for year in range(1900, 2420):
        assert schedule.previous(at(f"{year}-01-02")) == at(f"{year}-01-01")
        assert schedule.next(at(f"{year - 1}-12-31T23:59")) == at(f"{year}-01-01")
