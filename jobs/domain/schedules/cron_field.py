"""One field of a cron text: its limits, its names, and the sets of numbers that its items mean."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_ITEM = re.compile(r"(?P<base>\*|(?P<first>[0-9]+|[A-Z]{3})(?:-(?P<last>[0-9]+|[A-Z]{3}))?)(?:/(?P<step>[0-9]+))?")


class FieldError(Exception):
    """What is wrong with a field, as a sentence without its start: it gets the whole text in front."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field's name for people, its limits (inclusive) and its names' numbers."""

    name: str
    low: int
    high: int
    names: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """The limits in words."""
        names = f" or {self.names[0]}-{self.names[-1]}" if self.names else ""
        return f"{self.low}-{self.high}{names}"

    def number(self, text: str) -> int:
        """The number that digits or a name stand for."""
        if text in self.names:
            return self.low + self.names.index(text)
        if not text.isdigit():
            raise FieldError(f"{self.name} {clip(text)} is unknown; allowed are {self.allowed}.")
        if not self.low <= int(text) <= self.high:
            raise FieldError(f"{self.name} {clip(text)} is outside {self.low}-{self.high}.")
        return int(text)


MINUTE = Field("minute", 0, 59)
HOUR = Field("hour", 0, 23)
DAY_OF_MONTH = Field("day of month", 1, 31)
MONTH = Field("month", 1, 12, _MONTHS)
DAY_OF_WEEK = Field("day of week", 0, 7, _WEEKDAYS)
FIELDS = (MINUTE, HOUR, DAY_OF_MONTH, MONTH, DAY_OF_WEEK)


def parse_field(field: Field, text: str, special: Callable[[str], bool] = lambda item: False) -> int:
    """The numbers that ``text`` allows, as bits. ``special`` takes an item that only this field knows."""
    if not text.isascii():
        raise FieldError(f'{field.name} "{clip(text)}" is not plain ASCII; use the digits 0-9.')
    mask = 0
    for item in text.upper().split(","):
        if not special(item):
            mask |= _item_mask(field, item)
    return mask


def step_of(item: str) -> int | None:
    """The step of a list item that is well-formed."""
    _, slash, step = item.partition("/")
    return int(step) if slash else None


def clip(text: str) -> str:
    """``text`` for a message: printable and short."""
    shown = text if len(text) <= 40 else f"{text[:40]}…"
    return shown if shown.isprintable() else ascii(shown)


def _item_mask(field: Field, item: str) -> int:
    match = _ITEM.fullmatch(item)
    if match is None:
        raise FieldError(_malformed(field, item))
    step = _step(field, match["step"])
    first, last = _limits(field, match)
    return sum(1 << number for number in range(first, last + 1, step))


def _limits(field: Field, match: re.Match[str]) -> tuple[int, int]:
    if match["base"] == "*":
        return field.low, field.high
    first = field.number(match["first"])
    if match["last"] is None:
        return first, field.high if match["step"] else first
    last = field.number(match["last"])
    if match["last"] == "SUN" and first > last:
        last = field.high
    if first > last:
        raise FieldError(_reversed(field, match["base"], first, last))
    return first, last


def _step(field: Field, text: str | None) -> int:
    if text is None:
        return 1
    if int(text) == 0:
        raise FieldError(f"{field.name} step 0 never moves; a step is 1 or more.")
    return int(text)


def _reversed(field: Field, text: str, first: int, last: int) -> str:
    if field is DAY_OF_WEEK and last == 0:
        way = f"Sunday at the end is 7: {first}-7"
    else:
        way = f"write two ranges: {first}-{field.high},{field.low}-{last}"
    return f"{field.name} range {clip(text)} runs backwards; {way}."


def _malformed(field: Field, item: str) -> str:
    if not item:
        return f"{field.name} has an empty list item; write numbers with one comma between them."
    if item == "?":
        return f'{field.name} "?" is not cron; use "*".'
    if item == "H" or item.startswith(("H/", "H(")):
        return f'{field.name} "{clip(item)}" is not cron; write a number and use spread to scatter the load.'
    return (
        f'{field.name} "{clip(item)}" is not understood; allowed are "*", {field.allowed}, '
        "ranges (a-b), steps (*/n) and lists (a,b)."
    )
