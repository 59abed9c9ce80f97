"""Times and durations as the admin writes them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from jobs.admin.formats import duration, local, relative

NOW = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.24, "0.2 s"),
        (42.4, "42 s"),
        (184, "3 min 4 s"),
        (7200, "2 h"),
        (90_000, "1 d 1 h"),
        (20 * 86_400 + 3600, "20 d"),
        (-184, "-3 min 4 s"),
    ],
)
def test_a_duration_has_the_two_largest_units_that_say_something(seconds: float, shown: str) -> None:
    assert duration(timedelta(seconds=seconds)) == shown


@pytest.mark.parametrize(("seconds", "shown"), [(10_800, "in 3 h"), (-25, "25 s ago"), (0.5, "now"), (-0.5, "now")])
def test_a_moment_is_told_from_now(seconds: float, shown: str) -> None:
    assert relative(NOW + timedelta(seconds=seconds), NOW) == shown


def test_a_local_time_has_its_offset_and_says_utc_where_there_is_none() -> None:
    assert ">2026-07-01 14:00:00 +02:00<" in local(NOW, "Europe/Berlin")
    assert "2026-07-01 12:00:00 UTC" in local(NOW, "Europe/Berlin")
    assert ">2026-07-01 12:00:00 UTC<" in local(NOW, "UTC")
