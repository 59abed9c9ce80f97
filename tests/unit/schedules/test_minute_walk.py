"""The engine beside a plain walk of real minutes, around the clock changes of many zones."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from jobs.domain.schedules import Schedule
from tests.support.minute_walk import changes, utc, walk

from .helpers import cron

EXPRESSIONS = [
    "*/7 * * * *",
    "0 * * * *",
    "30 */2 * * *",
    "*/20 0-3 * * *",
    "0 0 * * *",
    "30 2 * * *",
    "15,45 0-4,22,23 * * *",
    "0-59/20 1-3 * * *",
    "0 0,2,3 L * 0L",
    "30 1 1,15W,LW * 6#1,0#2,5L",
    "10 3 */2 * 0,6",
    "59 23,0 8-31 3-11 0-7/2",
]
YEARS = {
    **dict.fromkeys(
        [
            "Africa/Casablanca", "Africa/Cairo", "Africa/El_Aaiun", "America/Asuncion", "America/Campo_Grande",
            "America/Caracas", "America/Havana", "America/Mexico_City", "America/New_York", "America/Nuuk",
            "America/Santiago", "America/Sao_Paulo", "America/Scoresbysund", "America/St_Johns",
            "Antarctica/Casey", "Antarctica/Troll", "Asia/Amman", "Asia/Beirut", "Asia/Gaza", "Asia/Hebron",
            "Asia/Jerusalem", "Asia/Pyongyang", "Asia/Tehran", "Asia/Ulaanbaatar",
            "Atlantic/Azores", "Australia/Adelaide", "Australia/Lord_Howe", "Australia/Sydney", "Europe/Berlin",
            "Europe/Chisinau", "Europe/Dublin", "Europe/Istanbul", "Europe/London", "Europe/Riga",
            "Europe/Samara", "Europe/Volgograd", "Pacific/Apia", "Pacific/Auckland", "Pacific/Chatham",
            "Pacific/Easter", "Pacific/Fakaofo", "Pacific/Fiji", "Pacific/Norfolk", "Pacific/Tongatapu",
        ],
        range(2007, 2030),
    ),
    "America/Goose_Bay": range(1988, 2012),
    "Asia/Kathmandu": range(1985, 1988),
    "Antarctica/Vostok": range(1993, 1996),
    "Pacific/Kwajalein": range(1969, 1994),
    "Pacific/Kiritimati": range(1979, 1996),
    "Europe/Warsaw": range(1945, 1950),
    "Asia/Singapore": range(1981, 1983),
    "Europe/Lisbon": range(1976, 1997),
}  # fmt: skip
MOST_CHANGES = 6
MARGIN = timedelta(hours=30)
SECOND = timedelta(seconds=1)


def sample(zone: str) -> list[datetime]:
    years = YEARS[zone]
    found = changes(zone, utc(years.start), utc(years.stop))
    return found[:: -(-len(found) // MOST_CHANGES) or 1]


@pytest.mark.parametrize("zone", YEARS)
def test_engine_and_walk_agree(zone):
    assert sample(zone)
    for change in sample(zone):
        start, end = change - MARGIN, change + MARGIN
        for expression in EXPRESSIONS:
            compare(cron(expression, zone), walk(expression, zone, start, end), start, end)


def compare(schedule: Schedule, walked: list[datetime], start: datetime, end: datetime) -> None:
    """Forwards, backwards, counted, and from instants that are no slots."""
    after, until = start - SECOND, end - SECOND
    assert schedule.between(after, until) == walked
    assert schedule.latest(after, until, 10_000) == walked
    assert schedule.count(after, until, 10_000) == len(walked)
    for instant in (start + timedelta(minutes=37) * step for step in range(90)):
        later = [slot for slot in walked if slot > instant]
        assert schedule.between(instant, until, 1) == later[:1]


def test_the_walk_meets_gaps_repeats_half_hours_and_calendar_corrections():
    assert len(YEARS) >= 50
    assert sum(len(sample(zone)) for zone in ("Africa/Casablanca", "Pacific/Apia", "Asia/Gaza")) >= 12
