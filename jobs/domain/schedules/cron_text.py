"""Reads a cron text into sets of numbers, or says what is wrong with it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from jobs.errors import InvalidScheduleError

from .bits import members
from .cron_days import DayRule, days_by_year_shape, parse_days
from .cron_field import FIELDS, HOUR, MINUTE, FieldError, clip, parse_field

MAX_LENGTH = 512
MACROS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_BLANKS = re.compile(r"[ \t]+")
_ZONE_PREFIXES = ("TZ=", "CRON_TZ=")
_FIVE_FIELDS = "minute, hour, day of month, month, day of week"


@dataclass(frozen=True, slots=True)
class CronText:
    """A valid text: its five fields as written, its minutes of the day as bits, and its days.

    ``is_wild`` is Debian cron's word for jobs that follow elapsed time across a clock change.
    """

    fields: tuple[str, ...]
    day_minutes: int
    days: DayRule
    is_wild: bool


@lru_cache(maxsize=1024)
def parse_cron(text: str) -> CronText:
    """Read ``text``; raises InvalidScheduleError for anything that is wrong or never fires."""
    try:
        return _read(split_fields(text))
    except FieldError as error:
        shown = text if len(text) <= 80 and text.isprintable() else clip(text)
        raise InvalidScheduleError("cron", f'Cron "{shown}" is invalid: {error}') from None


def split_fields(text: str) -> tuple[str, ...]:
    """The five fields, with macros spelt out."""
    if len(text) > MAX_LENGTH:
        raise FieldError(f"it has {len(text)} characters and at most {MAX_LENGTH} are allowed.")
    stripped = text.strip(" \t")
    if stripped.upper().startswith(_ZONE_PREFIXES):
        raise FieldError("a time zone does not belong in the text; set the time zone field.")
    if stripped.startswith("@"):
        stripped = _expand(stripped)
    fields = tuple(_BLANKS.split(stripped)) if stripped else ()
    if len(fields) != len(FIELDS):
        hint = " For seconds use an interval." if len(fields) == len(FIELDS) + 1 else ""
        counted = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
        raise FieldError(f"it has {counted} and needs five: {_FIVE_FIELDS}.{hint}")
    return fields


def _expand(macro: str) -> str:
    word = macro.split()[0].lower()
    if word == "@every":
        raise FieldError("@every is not cron; use an interval.")
    if word == "@reboot":
        raise FieldError("@reboot has no time; a schedule does not know of restarts. Run the job by hand.")
    if macro.lower() not in MACROS:
        raise FieldError(f"{clip(macro)} is unknown; allowed are {', '.join(MACROS)}.")
    return MACROS[macro.lower()]


def _read(fields: tuple[str, ...]) -> CronText:
    minute, hour, day_of_month, month, day_of_week = fields
    minutes, hours = parse_field(MINUTE, minute), parse_field(HOUR, hour)
    days = parse_days(day_of_month, month, day_of_week)
    if not any(days_by_year_shape(days)):
        raise FieldError(
            f"it never fires: no year has a day that day of month {day_of_month}, month {month} "
            f"and day of week {day_of_week} allow."
        )
    return CronText(
        fields=fields,
        day_minutes=sum(minutes << 60 * each for each in members(hours)),
        days=days,
        is_wild=minute.startswith("*") or hour.startswith("*"),
    )
