"""A broker that is away for an hour is told of a hundred times, not ten thousand."""

from __future__ import annotations

import pytest

from jobs import clock
from jobs.broker.absence import Absence


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that the clock shows, to be changed by the test."""
    shown = [100.0]
    monkeypatch.setattr(clock, "monotonic", lambda: shown[0])
    return shown


def test_the_first_failure_is_told_and_then_one_in_half_a_minute_with_how_long_it_lasts(now: list[float]) -> None:
    absence = Absence()
    told = []
    for second in range(70):
        now[0] = 100.0 + second
        told.append((second, absence.failed()))
    assert [item for item in told if item[1] is not None] == [
        (0, {}),
        (30, {"away": "30s", "tries": 31}),
        (60, {"away": "60s", "tries": 61}),
    ]


def test_the_return_is_told_once_and_the_next_absence_begins_anew(now: list[float]) -> None:
    absence = Absence()
    assert absence.ended() is None
    absence.failed()
    now[0] += 12.4
    absence.failed()
    assert absence.ended() == {"away": "12s", "tries": 2}
    assert absence.ended() is None
    assert absence.failed() == {}
