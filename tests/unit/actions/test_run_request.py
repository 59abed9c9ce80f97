"""When a run by hand is due, and what it is called: pure rules."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from jobs.domain.run_request import slot_for, start_instant
from jobs.errors import InvalidFieldError

NOW = datetime(2026, 1, 1, 12, 0, 0, 5, tzinfo=UTC)


def test_without_a_time_it_is_due_now() -> None:
    assert start_instant(NOW, at=None, delay=None) == start_instant(NOW, at=None, delay=timedelta()) == NOW


@pytest.mark.parametrize("days", [0.00001, 90])
def test_up_to_90_days_ahead_is_allowed(days: float) -> None:
    later = timedelta(days=days)
    assert start_instant(NOW, at=NOW + later, delay=None) == start_instant(NOW, at=None, delay=later) == NOW + later


def test_beyond_90_days_a_once_is_the_way() -> None:
    with pytest.raises(InvalidFieldError, match=r"For later times make a job of kind once\."):
        start_instant(NOW, at=NOW + timedelta(days=90, microseconds=1), delay=None)


@pytest.mark.parametrize(
    ("micros", "is_named", "expected"), [(0, True, 1), (0, False, 1), (5, True, 6), (5, False, 5), (999_999, True, 1)]
)
def test_the_identity_is_never_a_whole_second(micros: int, is_named: bool, expected: int) -> None:
    assert slot_for(NOW.replace(microsecond=micros), is_named=is_named).microsecond == expected
