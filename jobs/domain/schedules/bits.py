"""Sets of small numbers as the bits of an integer: the minutes of a day, the days of a year."""

from __future__ import annotations


def next_bit(mask: int, start: int) -> int:
    """Lowest member that is ``start`` or more, or -1."""
    rest = mask >> start
    return start + (rest & -rest).bit_length() - 1 if rest else -1


def previous_bit(mask: int, end: int) -> int:
    """Highest member below ``end``, or -1."""
    return (mask & ((1 << end) - 1)).bit_length() - 1


def members(mask: int) -> list[int]:
    """All members, rising."""
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]
