from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from jobs.domain.schedules import ScheduleSpec, build, to_local, tzdata_version, zone_names
from jobs.errors import InvalidScheduleError
from tests.support.minute_walk import package_zone

ROOT = Path(__file__).parents[3]
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
def test_b023_an_unknown_zone_is_refused_with_a_hint(name, hint):
    with pytest.raises(InvalidScheduleError) as caught:
        build(ScheduleSpec(kind="cron", cron="* * * * *", timezone=name))
    assert caught.value.field == "timezone"
    assert hint in str(caught.value)
    assert len(str(caught.value)) < 300


def test_b144_data_is_recent_enough_and_says_its_version():
    assert tuple(int(part) for part in tzdata_version().split(".")) >= (2022, 6)


@pytest.mark.parametrize("zone", ["Asia/Tokyo", None], ids=["TZ=Asia/Tokyo", "TZ unset"])
def test_b023_the_process_zone_has_no_influence(zone):
    environment = {name: value for name, value in os.environ.items() if name != "TZ"}
    environment |= {"PYTHONTZPATH": "/nowhere"} | ({"TZ": zone} if zone else {})
    asked = '{"expr": "0 12 * * 5", "tz": "America/Los_Angeles", "after": "2026-06-01T00:00:00+00:00", "count": 1}'
    command = [sys.executable, "manage.py", "jobs", "preview", "--stdin"]
    done = subprocess.run(command, cwd=ROOT, env=environment, input=asked, capture_output=True, text=True, check=True)
    (slot,) = json.loads(done.stdout)["next"]
    assert datetime.fromisoformat(slot) == datetime(2026, 6, 5, 19, tzinfo=UTC)
