"""A zone's history as stretches of constant UTC offset, and which wall times each stretch owns.

Debian cron's rule for clock changes comes down to ownership. Stretch ``i`` lasts from ``starts[i]`` to
``starts[i + 1]`` and its wall clock shows ``shows_from[i]`` up to ``shows_until[i]`` (not included).

- A WILD job runs whenever the clock shows a time: a stretch owns what it shows.
- A FIXED job runs once for each wall time: a stretch owns ``fixed_from[i]`` up to ``shows_until[i]``. That
  leaves out what an earlier stretch has shown already, and takes in what the change skipped.

Either way a wall time happens at ``max(wall - offset, start)``, so skipped ones fall on the change itself.
A change of three hours or more corrects the calendar rather than the clock: FIXED begins afresh with it.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator

from .instants import DAY, LAST_TABLE_YEAR, cycle_shift
from .tzif import ZoneData
from .yearly_rule import parse_footer

_UNIX_EPOCH = 719_162 * DAY
_BEGINNING = -(10**12)
_END = 10**12
NOT_A_CLOCK_CHANGE = 3 * 3600
_WIDEST_OFFSET = DAY


class Timeline:
    """One zone, in parallel arrays of seconds (see the module)."""

    __slots__ = ("fixed_from", "name", "offsets", "shows_from", "shows_until", "starts")

    def __init__(self, name: str, data: ZoneData) -> None:
        self.name = name
        self.starts, self.offsets = _stretches(data)
        ends = [*self.starts[1:], _END]
        self.shows_from = _sums(self.starts, self.offsets)
        self.shows_until = _sums(ends, self.offsets)
        self.fixed_from = _fixed_from(self.offsets, self.shows_from, self.shows_until)

    def offset_at(self, instant: int) -> int:
        """UTC offset in seconds."""
        return self.offsets[bisect_right(self.starts, instant - cycle_shift(instant)) - 1]

    def instant_of(self, wall: int) -> int | None:
        """When a FIXED wall time happens first; None when a calendar correction skipped it."""
        shift = cycle_shift(wall)
        wall -= shift
        index = bisect_right(self.starts, wall - _WIDEST_OFFSET) - 1
        while index < len(self.starts) and self.starts[index] <= wall + _WIDEST_OFFSET:
            if self.fixed_from[index] <= wall < self.shows_until[index]:
                return max(wall - self.offsets[index], self.starts[index]) + shift
            index += 1
        return None


def _stretches(data: ZoneData) -> tuple[array[int], array[int]]:
    """Starts and offsets, with changes that leave the offset as it is (names, flags) left out."""
    starts, offsets = array("q", [_BEGINNING]), array("q", [data.first_offset])
    for start, offset in _changes(data):
        if start <= starts[-1]:
            offsets[-1] = offset
        elif offset != offsets[-1]:
            starts.append(start)
            offsets.append(offset)
    return starts, offsets


def _changes(data: ZoneData) -> Iterator[tuple[int, int]]:
    last = _UNIX_EPOCH
    for unix, offset in data.changes:
        last = unix + _UNIX_EPOCH
        yield last, offset
    rule = parse_footer(data.footer)
    if rule is None:
        return
    first_year = 1 + last // (366 * DAY)
    for year in range(first_year, LAST_TABLE_YEAR + 1):
        yield from (change for change in rule.changes(year) if change[0] > last)


def _sums(left: array[int] | list[int], right: array[int]) -> array[int]:
    return array("q", [one + other for one, other in zip(left, right, strict=True)])


def _fixed_from(offsets: array[int], shows_from: array[int], shows_until: array[int]) -> array[int]:
    owned = array("q", [shows_from[0]])
    for index in range(1, len(offsets)):
        if abs(offsets[index] - offsets[index - 1]) >= NOT_A_CLOCK_CHANGE:
            owned.append(shows_from[index])
        else:
            owned.append(max(owned[-1], shows_until[index - 1]))
    return owned
