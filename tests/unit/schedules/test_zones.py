from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest

from jobs.domain.schedules import ScheduleSpec, build, to_local, tzdata_version, zone_names
from jobs.errors import InvalidScheduleError
from tests.support.minute_walk import package_zone

YEARS = (1890, 1919, 1945, 1975, 1999, 2011, 2026, 2037, 2038, 2087, 2150, 2599, 2600, 9990)


def test_every_zone_has_the_offsets_that_zoneinfo_reads_from_the_package():
    chance = random.Random(1)
    for name in zone_names():
        tz = package_zone(name)
        for year in YEARS:
            instant = datetime(year, 1, 1, tzinfo=UTC) + timedelta(minutes=chance.randrange(525_600))
            assert to_local(instant, name).utcoffset() == instant.astimezone(tz).utcoffset(), (name, instant)


@pytest.mark.parametrize("name", ["Europe/Berlin", "Asia/Gaza", "Africa/Casablanca", "America/Nuuk"])
def test_every_day_of_a_century_has_the_right_offset(name):
    tz, day = package_zone(name), datetime(1970, 1, 1, 1, tzinfo=UTC)
    while day.year < 2100:
        assert to_local(day, name).utcoffset() == day.astimezone(tz).utcoffset(), day
        day += timedelta(hours=13)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Europe/Berln", "Europe/Berlin"),
        ("europe/berlin", "Europe/Berlin"),
        ("EST5EDT ", "EST5EDT"),
        ("Mars/Olympus", "use"),
        ("", "a name such as Europe/Berlin"),
        ("../../etc/passwd", "unknown"),
        ("/usr/share/zoneinfo/UTC", "unknown"),
        ("x" * 10_000, "unknown"),
    ],
)
def test_unknown_zone_is_refused_with_a_hint(name, hint):
    with pytest.raises(InvalidScheduleError) as caught:
        build(ScheduleSpec(kind="cron", cron="* * * * *", timezone=name))
    assert caught.value.field == "timezone"
    assert hint in str(caught.value)
    assert len(str(caught.value)) < 300


def test_b144_data_is_recent_enough_and_says_its_version():
    assert tuple(int(part) for part in tzdata_version().split(".")) >= (2022, 6)


def test_b023_the_process_zone_has_no_influence(monkeypatch):
    slots = set()
    for value in ("Asia/Tokyo", "America/New_York"):
        monkeypatch.setenv("TZ", value)
        monkeypatch.setenv("PYTHONTZPATH", "/nowhere")
        build.cache_clear()
        schedule = build(ScheduleSpec(kind="cron", cron="0 12 * * 5", timezone="America/Los_Angeles"))
        slots.add(schedule.next(datetime(2026, 6, 1, tzinfo=UTC)))
    assert slots == {datetime(2026, 6, 5, 19, tzinfo=UTC)}
