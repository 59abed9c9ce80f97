"""A second opinion on cron: walk real minutes and apply the rule to each, with nothing of the engine.

Slow and plain on purpose. Only for windows in which all UTC offsets are whole minutes.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from importlib.resources import files
from zoneinfo import ZoneInfo

MINUTE = timedelta(minutes=1)
THREE_HOURS = timedelta(hours=3)
_LIMITS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))


@cache
def package_zone(name: str) -> ZoneInfo:
    """The zone as ``zoneinfo`` reads it from the tzdata package."""
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


@lru_cache(maxsize=2)
def real_minutes(zone: str, start: datetime, end: datetime) -> list[tuple[datetime, datetime]]:
    """Each minute of [start, end) with what the wall clock shows."""
    tz, minutes = package_zone(zone), []
    while start < end:
        minutes.append((start, start.astimezone(tz).replace(tzinfo=None)))
        start += MINUTE
    return minutes


def walk(expression: str, zone: str, start: datetime, end: datetime) -> list[datetime]:
    """The slots in [start, end); start well before a change, so that what was shown is known."""
    fields = expression.split()
    wild = fields[0].startswith("*") or fields[1].startswith("*")
    minutes = real_minutes(zone, start, end)
    if wild:
        return [instant for instant, wall in minutes if _matches(expression, wall)]
    slots, shown, previous = [], set(), minutes[0][1] - MINUTE
    for instant, wall in minutes:
        due = [wall]
        jump = wall - previous - MINUTE
        if abs(jump) >= THREE_HOURS:
            shown.clear()
        elif jump > timedelta(0):
            due = [previous + MINUTE * step for step in range(1, jump // MINUTE + 2)]
        if any(_matches(expression, each) for each in due if each not in shown):
            slots.append(instant)
        shown.update(due)
        previous = wall
    return slots


def _matches(expression: str, wall: datetime) -> bool:
    minute, hour, day, month, weekday = expression.split()
    if wall.minute not in _numbers(minute, 0) or wall.hour not in _numbers(hour, 1):
        return False
    if wall.month not in _numbers(month, 3):
        return False
    by_date, by_weekday = _date_matches(day, wall.date()), _weekday_matches(weekday, wall.date())
    return (by_date and by_weekday) if "*" in (day[0], weekday[0]) else (by_date or by_weekday)


@cache
def _numbers(text: str, field: int) -> set[int]:
    numbers: set[int] = set()
    for item in text.split(","):
        base, _, step = item.partition("/")
        first, _, last = base.partition("-")
        low, high = _LIMITS[field] if first == "*" else (int(first), int(last or first))
        if step and first != "*" and not last:
            high = _LIMITS[field][1]
        numbers.update(range(low, high + 1, int(step or 1)))
    return numbers


def _date_matches(text: str, day: date) -> bool:
    last = date(day.year, day.month, monthrange(day.year, day.month)[1])
    for item in text.split(","):
        if item == "L":
            hit = day == last
        elif item == "LW":
            hit = day == _working_day_near(last)
        elif item.endswith("W"):
            hit = int(item[:-1]) <= last.day and day == _working_day_near(day.replace(day=int(item[:-1])))
        else:
            hit = day.day in _numbers(item, 2)
        if hit:
            return True
    return False


def _working_day_near(day: date) -> date:
    for distance in (0, -1, 1, -2, 2):
        near = day + timedelta(days=distance)
        if near.month == day.month and near.isoweekday() <= 5:
            return near
    raise AssertionError("every month has a working day within two days of each of its days")


def _weekday_matches(text: str, day: date) -> bool:
    weekday = day.isoweekday() % 7
    for item in text.split(","):
        if item.endswith("L"):
            hit = int(item[:-1]) % 7 == weekday and (day + timedelta(days=7)).month != day.month
        elif "#" in item:
            wanted, nth = item.split("#")
            hit = int(wanted) % 7 == weekday and (day.day + 6) // 7 == int(nth)
        else:
            hit = weekday in {number % 7 for number in _numbers(item, 4)}
        if hit:
            return True
    return False


def changes(zone: str, start: datetime, end: datetime) -> list[datetime]:
    """The instants in [start, end) at which the zone's offset changes, to the minute."""
    tz, found = package_zone(zone), []
    for day in range((end - start).days):
        before = start + timedelta(days=day)
        if _offset(before, tz) != _offset(before + timedelta(days=1), tz):
            found.append(_bisected(before, before + timedelta(days=1), tz))
    return found


def _bisected(before: datetime, after: datetime, tz: ZoneInfo) -> datetime:
    while after - before > MINUTE:
        middle = before + (after - before) // MINUTE // 2 * MINUTE
        before, after = (middle, after) if _offset(middle, tz) == _offset(before, tz) else (before, middle)
    return after


def _offset(instant: datetime, tz: ZoneInfo) -> timedelta:
    return instant.astimezone(tz).utcoffset() or timedelta(0)


def utc(year: int, month: int = 1, day: int = 1) -> datetime:
    return datetime(year, month, day, tzinfo=UTC)
