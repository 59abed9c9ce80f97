"""The yearly clock changes that a POSIX TZ string describes, such as ``CET-1CEST,M3.5.0,M10.5.0/3``.

Time zone files end with such a string: it holds for all years after their list of changes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from .instants import DAY

_NAME = r"(?:[A-Za-z]{3,}|<[^>]+>)"
_TIME = r"[+-]?\d{1,3}(?::\d\d){0,2}"
_FOOTER = re.compile(rf"{_NAME}(?P<std>{_TIME})(?:{_NAME}(?P<dst>{_TIME})?,(?P<start>[^,]+),(?P<end>[^,]+))?", re.ASCII)
_DEFAULT_TIME = "2:00:00"


@dataclass(frozen=True, slots=True)
class YearlyRule:
    """Standard and summer offsets in seconds, and the two change rules as the string gives them."""

    standard: int
    summer: int
    start: str
    end: str

    def changes(self, year: int) -> list[tuple[int, int]]:
        """(instant, new offset) of one year, rising; the instants count as in ``instants``."""
        to_summer = _wall_seconds(self.start, year) - self.standard
        to_standard = _wall_seconds(self.end, year) - self.summer
        return sorted([(to_summer, self.summer), (to_standard, self.standard)])


def parse_footer(footer: str) -> YearlyRule | None:
    """The rule, or None where the last listed offset holds for good."""
    match = _FOOTER.fullmatch(footer)
    if match is None or match["start"] is None:
        return None
    standard = -_seconds(match["std"])
    summer = -_seconds(match["dst"]) if match["dst"] else standard + 3600
    return YearlyRule(standard, summer, match["start"], match["end"])


def _seconds(text: str) -> int:
    sign = -1 if text.startswith("-") else 1
    parts = [int(part) for part in text.lstrip("+-").split(":")]
    return sign * sum(part * unit for part, unit in zip(parts, (3600, 60, 1), strict=False))


def _wall_seconds(rule: str, year: int) -> int:
    day, _, time = rule.partition("/")
    return _day_number(day, year) * DAY + _seconds(time or _DEFAULT_TIME)


def _day_number(rule: str, year: int) -> int:
    """Day number of ``Mm.w.d`` (weekday d of week w), ``Jn`` (1-365, no leap day) or ``n`` (0-365)."""
    if rule.startswith("M"):
        month, week, weekday = (int(part) for part in rule[1:].split("."))
        return _nth_weekday(year, month, week, weekday)
    new_year = date(year, 1, 1).toordinal() - 1
    if not rule.startswith("J"):
        return new_year + int(rule)
    day = int(rule[1:])
    passes_leap_day = day > 59 and date(year, 3, 1).toordinal() - 1 - new_year == 60
    return new_year + day - 1 + (1 if passes_leap_day else 0)


def _nth_weekday(year: int, month: int, week: int, weekday: int) -> int:
    first = date(year, month, 1).toordinal()
    following = date(year + month // 12, month % 12 + 1, 1).toordinal()
    day = first + (weekday - first) % 7 + 7 * (week - 1)
    return (day if day < following else day - 7) - 1
