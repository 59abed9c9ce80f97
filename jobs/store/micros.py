"""Instants as microseconds since 1970, for rows read by the thousand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def from_micros(micros: int) -> datetime:
    """The aware UTC datetime."""
    return _EPOCH + timedelta(microseconds=micros)
