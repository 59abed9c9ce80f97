"""Microseconds per next slot, beside cronsim's, and the worst over texts made to be slow."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from statistics import mean
from time import perf_counter
from zoneinfo import ZoneInfo

from cronsim import CronSim

from jobs.domain.schedules import ScheduleSpec, build
from jobs.errors import InvalidScheduleError
from tests.bench.figures import Figure

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe")
COMMON = (
    "* * * * *",
    "*/5 * * * *",
    "0 * * * *",
    "30 2 * * *",
    "0 9 * * 1-5",
    "0 0 1 * *",
    "0 12 1,15 * *",
    "0 0 L * *",
    "0 18 * * 5L",
    "0 0 1 1 *",
    "10-59/15 8-18 * * MON-FRI",
    "0 0 13 * 5",
)
NASTY = (
    "0 0 29 2 *",
    "0 0 */28 2 1#5",
    "59 23 29 2 */6",
    "*/5 2 8-14 3 */7",
    "0 0 31 2,4,6,9,11 *",
    "0 0 */31 2 1#2",
    "0 0 31W 2,4,6,9,11 *",
    ",".join(["0"] * 240) + " * * * *",
    "*/1,*/2,*/3,*/4,*/5 */1,*/2 1W,2W,3W,15W,L,LW * 1#1,2#2,3#3,4#4,5#5,0L",
    "*" * 600,
)
NASTY_ZONES = ("UTC", "America/New_York", "Africa/Casablanca", "Pacific/Apia", "Antarctica/Troll")
MOMENTS = tuple(datetime(year, 3, 1, tzinfo=UTC) for year in (1, 1883, 2026, 2096, 2599, 9990))
_CALLS = 2000


def microseconds(step: Callable[[], object], calls: int = _CALLS) -> float:
    """Mean time of ``step`` over ``calls`` calls."""
    start = perf_counter()
    for _ in range(calls):
        step()
    return (perf_counter() - start) / calls * 1e6


def ours(expression: str, zone: str) -> float:
    """One fresh ``next`` at moments spread over three years."""
    schedule = build(ScheduleSpec(kind="cron", cron=expression, timezone=zone))
    moments = iter([datetime(2025, 1, 1, tzinfo=UTC) + timedelta(minutes=787 * each) for each in range(_CALLS)])
    return microseconds(lambda: schedule.next(next(moments)))


def theirs(expression: str, zone: str) -> float:
    """The next of a running cronsim iterator, its best case."""
    slots = CronSim(expression, datetime(2025, 1, 1, tzinfo=ZoneInfo(zone)))
    return microseconds(lambda: next(slots), calls=200)


def worst() -> tuple[float, str]:
    """Milliseconds of the slowest build or next over the nasty texts, with which it was."""
    slowest = (0.0, "")
    for expression in NASTY:
        for zone in NASTY_ZONES:
            start = perf_counter()
            spec = ScheduleSpec(kind="cron", cron=expression, timezone=zone)
            try:
                schedule = build(spec)
            except InvalidScheduleError:
                slowest = max(slowest, ((perf_counter() - start) * 1e3, f"refuse {expression[:40]} {zone}"))
                continue
            slowest = max(slowest, ((perf_counter() - start) * 1e3, f"build {expression[:40]} {zone}"))
            for moment in MOMENTS:
                start = perf_counter()
                schedule.next(moment)
                slowest = max(slowest, ((perf_counter() - start) * 1e3, f"next {expression[:40]} {zone} {moment}"))
    return slowest


def run(scale: float) -> list[Figure]:
    """The slowest fresh ``next`` of the common expressions, and the slowest step over the nasty texts, at any scale."""
    timed = [(ours(text, zone), theirs(text, zone), f"{text} {zone}") for zone in ZONES for text in COMMON]
    slowest, _, where = max(timed)
    mine, peers = mean(us for us, _, _ in timed), mean(us for _, us, _ in timed)
    milliseconds, what = worst()
    return [
        Figure(f"next fire, slowest common ({where})", slowest, "us", aim=20, at_most=True),
        Figure("next fire, mean of the common", mine, "us", "cronsim", peers),
        Figure(f"build or next, any text ({what})", milliseconds, "ms", aim=100, at_most=True),
    ]
