"""Reads compiled time zone files (TZif version 2 and later, RFC 9636)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

_HEADER = struct.Struct(">4sc15x6l")


@dataclass(frozen=True, slots=True)
class ZoneData:
    """``first_offset`` holds before the first change; ``changes`` are (Unix time, new offset), in seconds."""

    first_offset: int
    changes: tuple[tuple[int, int], ...]
    footer: str


def parse_tzif(data: bytes) -> ZoneData:
    """The 64-bit part of a file: its UTC offsets and the rule for the years after its list."""
    start = _HEADER.size + _body_size(_counts(data, 0), time_size=4)
    counts = _counts(data, start)
    times, types = counts[3:5]
    body = start + _HEADER.size
    instants = struct.unpack_from(f">{times}q", data, body)
    indexes = data[body + 8 * times : body + 9 * times]
    records = struct.iter_unpack(">lBB", data[body + 9 * times : body + 9 * times + 6 * types])
    offsets = [offset for offset, _is_dst, _name in records]
    footer = data[body + _body_size(counts, time_size=8) :].strip(b"\n").decode("ascii")
    changes = tuple((instant, offsets[index]) for instant, index in zip(instants, indexes, strict=True))
    return ZoneData(offsets[0], changes, footer)


def _counts(data: bytes, at: int) -> tuple[int, ...]:
    magic, version, *counts = _HEADER.unpack_from(data, at)
    if magic != b"TZif" or version < b"2":
        raise ValueError("not a TZif file of version 2 or later")
    return tuple(counts)


def _body_size(counts: tuple[int, ...], *, time_size: int) -> int:
    isut, isstd, leap, times, types, chars = counts
    return times * (time_size + 1) + types * 6 + chars + leap * (time_size + 4) + isstd + isut
