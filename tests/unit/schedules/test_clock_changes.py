"""Clock changes by zone and date; the numbers are those of the public bug reports."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest

from jobs.errors import InvalidScheduleError

from .helpers import at, cron, following, iso


def test_b007_every_minute_of_the_repeated_hour_runs():
    slots = cron("* * * * *", "Europe/London").between(at("2016-10-29T23:59"), at("2016-10-30T01:59"))
    assert len(slots) == 120
    assert cron("* * * * *", "Europe/London").next(at("2016-10-30T00:59")) == at("2016-10-30T01:00")


def test_b009_restarting_from_each_slot_gives_the_same_list():
    schedule = cron("0 20 * * *", "Europe/Paris")
    start = at("2022-10-30T00:00+02:00")
    walked = following(schedule, start, 3)
    assert iso(walked) == ["2022-10-30T19:00", "2022-10-31T19:00", "2022-11-01T19:00"]
    assert schedule.between(start, walked[-1]) == walked


def test_b010_previous_crosses_the_change_back():
    schedule = cron("0 8 * * 1-5", "America/New_York")
    now = at("2018-11-04T05:00-05:00")
    assert schedule.previous(now) == at("2018-11-02T12:00")
    assert schedule.next(now) == at("2018-11-05T13:00")
    assert schedule.previous(schedule.next(now) + timedelta(seconds=1)) == schedule.next(now)
    assert schedule.previous(schedule.next(now)) == schedule.previous(now)


@pytest.mark.parametrize(
    "zone", ["Europe/Vienna", "America/Santiago", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Gaza"]
)
def test_b011_five_hundred_slots_rise(zone):
    slots = following(cron("30 * * * *", zone), at("2017-10-28T10:09"), 500)
    assert len(slots) == 500
    assert all(earlier < later for earlier, later in pairwise(slots))


def test_b014_two_hourly_has_no_extra_run_on_either_change():
    toronto = following(cron("0 */2 * * *", "America/Toronto"), at("2023-03-12T03:00"), 3)
    assert iso(toronto) == ["2023-03-12T05:00", "2023-03-12T08:00", "2023-03-12T10:00"]
    berlin = following(cron("0 */2 * * *", "Europe/Berlin"), at("2026-10-24T22:00"), 3)
    assert iso(berlin) == ["2026-10-25T00:00", "2026-10-25T01:00", "2026-10-25T03:00"]


def test_b015_every_minute_around_a_change_finds_the_next_slot():
    schedule = cron("20 */4 * * *", "America/Los_Angeles")
    slots = {schedule.next(at("2023-03-12T08:00") + timedelta(minutes=minute)) for minute in range(240)}
    assert iso(sorted(filter(None, slots))) == ["2023-03-12T08:20", "2023-03-12T11:20", "2023-03-12T15:20"]


@pytest.mark.parametrize(
    ("zone", "after", "slot"),
    [
        ("America/Mexico_City", "2026-06-01T00:00", "2026-06-01T15:00"),
        ("Asia/Amman", "2026-01-15T00:00", "2026-01-15T06:00"),
        ("America/Ciudad_Juarez", "2026-01-15T00:00", "2026-01-15T16:00"),
    ],
)
def test_b144_zones_are_those_of_current_data(zone, after, slot):
    assert cron("0 9 * * *", zone).next(at(after)) == at(slot)


def test_offsets_of_odd_seconds_make_odd_instants():
    """Monrovia went from -0:44:30 to UTC at midnight of 7 January 1972, which skipped 00:20."""
    slots = cron("20 0 * * *", "Africa/Monrovia").between(at("1972-01-06T00:00"), at("1972-01-09T00:00"))
    assert [slot.isoformat() for slot in slots] == [
        "1972-01-06T01:04:30+00:00",
        "1972-01-07T00:44:30+00:00",
        "1972-01-08T00:20:00+00:00",
    ]


def test_a_day_that_the_calendar_skips_is_not_made_up():
    slots = cron("0 12 30 12 *", "Pacific/Apia").between(at("2010-01-01"), at("2013-01-01"))
    assert iso(slots) == ["2010-12-30T22:00", "2012-12-29T22:00"]


def test_a_day_that_the_calendar_repeats_runs_twice():
    """Kwajalein went from +11 to -12 on 1 October 1969: its 30 September came twice in part."""
    slots = cron("30 12 * * *", "Pacific/Kwajalein").between(at("1969-09-29T12:00"), at("1969-10-02T12:00"))
    assert iso(slots) == ["1969-09-30T01:30", "1969-10-01T00:30", "1969-10-02T00:30"]


def test_wild_job_that_only_ever_falls_into_gaps_is_refused():
    with pytest.raises(InvalidScheduleError, match="never fires in America/New_York"):
        cron("*/5 2 8-14 3 */7", "America/New_York")
    assert cron("*/5 2 8-14 3 */7", "Europe/Berlin").next(at("2026-01-01")) == at("2026-03-08T01:00")


def test_a_change_of_three_hours_is_no_clock_change():
    """Casey moved by three hours, forward on 18 October 2009 at 02:00 and back on 5 March 2010 at 02:00."""
    forward = cron("30 3 * * *", "Antarctica/Casey").between(at("2009-10-16T00:00"), at("2009-10-19T00:00"))
    assert iso(forward) == ["2009-10-16T19:30", "2009-10-18T16:30"]
    back = cron("30 23 * * *", "Antarctica/Casey").between(at("2010-03-04T00:00"), at("2010-03-05T16:00"))
    assert iso(back) == ["2010-03-04T12:30", "2010-03-04T15:30", "2010-03-05T15:30"]


@pytest.mark.parametrize("year", [2826, 9626])
def test_far_years_follow_the_same_yearly_rule(year):
    schedule = cron("30 2 * * *", "Europe/Berlin")
    near = schedule.between(at("2026-03-20"), at("2026-04-10"))
    far = schedule.between(at(f"{year}-03-20"), at(f"{year}-04-10"))
    assert [slot.replace(year=year) for slot in near] == far
    assert at(f"{year}-03-29T01:00") in far
