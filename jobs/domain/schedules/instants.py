"""Instants as whole seconds since 0001-01-01T00:00Z, which is what the engine counts in.

A wall time is counted the same way, from midnight of 0001-01-01 on the wall clock, so that ``// DAY`` is a
day number (a date's ordinal less one) and ``wall - offset`` is an instant.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from jobs.errors import InvalidScheduleError

DAY = 86_400
_ZERO = datetime(1, 1, 1, tzinfo=UTC)

# A day inside datetime's own limits, so that every slot also has a local time in every zone.
FIRST_INSTANT = DAY
LAST_INSTANT = (datetime.max.toordinal() - 1) * DAY

# The Gregorian calendar, and with it every yearly rule of a zone, repeats after 400 years. Instants from
# the year 2600 on are computed in 2200-2599, when the listed changes of all zones are over.
_CYCLE = 146_097 * DAY
_CYCLE_START = (datetime(2200, 1, 1).toordinal() - 1) * DAY
LAST_TABLE_YEAR = 2700

# The rarest slots come back after 40 years at most: 29 February on one weekday, across a year 2100.
SEARCH_YEARS = 100


def cycle_shift(instant: int) -> int:
    """Seconds (whole 400-year cycles) to take off an instant so that the zone tables cover it."""
    cycles = (instant - _CYCLE_START) // _CYCLE
    return cycles * _CYCLE if cycles > 0 else 0


def cycle_end(instant: int) -> int:
    """The instant at which :func:`cycle_shift` gives its next value."""
    return cycle_shift(instant) + _CYCLE_START + _CYCLE


def floor_seconds(moment: datetime, field: str) -> int:
    """The last whole second that is not after ``moment``; a naive one is refused."""
    since = require_aware(moment, field) - _ZERO
    return since.days * DAY + since.seconds


def ceil_seconds(moment: datetime, field: str) -> int:
    """The first whole second that is not before ``moment``."""
    return floor_seconds(moment, field) + (1 if moment.microsecond else 0)


def exact_seconds(moment: datetime, field: str) -> int:
    """Like :func:`floor_seconds`, but fractions of a second are refused: slots have none."""
    if moment.microsecond:
        raise InvalidScheduleError(field, f"{moment.isoformat()} has fractions of a second; give whole seconds.")
    return floor_seconds(moment, field)


def to_datetime(seconds: int) -> datetime:
    """The aware UTC datetime of an instant."""
    return _ZERO + timedelta(seconds=seconds)


def require_aware(moment: datetime, field: str) -> datetime:
    """``moment`` itself, when it says its UTC offset."""
    if moment.utcoffset() is None:
        raise InvalidScheduleError(
            field, f"{moment.isoformat()} has no UTC offset; add one, such as {moment.isoformat()}+00:00."
        )
    return moment
