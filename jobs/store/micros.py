"""Instants as microseconds since 1970, for rows read by the thousand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from jobs.domain.messages import RunKey

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def from_micros(micros: int) -> datetime:
    """The aware UTC datetime."""
    return _EPOCH + timedelta(microseconds=micros)


def key_of(row: Any) -> RunKey:
    """The run that a row with ``job_id`` and ``slot_us`` names."""
    return RunKey(row.job_id, from_micros(row.slot_us))
