"""Jumps of the database's clock, and what waits after them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from jobs.beat import clock_watch
from jobs.beat.clock_watch import ClockWatch, Holds

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def test_a_slow_answer_is_no_jump() -> None:
    watch = ClockWatch()
    assert watch.jump(NOON, sent=0, received=20) == 0
    assert watch.jump(at(30), sent=30, received=30) == 0
    assert watch.jump(at(45), sent=40, received=50) == 0


def test_a_jump_is_seen_in_both_directions() -> None:
    watch = ClockWatch()
    watch.jump(NOON, sent=0, received=0)
    assert watch.jump(at(100), sent=10, received=11) == 89
    assert watch.jump(at(50), sent=20, received=20) == -59
    assert watch.jump(at(51), sent=21, received=21) == 0


@pytest.fixture
def mono(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(clock_watch, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def holds() -> Holds:
    return Holds(lease=30, ttl=10)


def test_the_reaper_waits_a_lease_and_five_seconds_after_connecting(mono: list[float], holds: Holds) -> None:
    holds.connected()
    mono[0] = 1034.9
    assert not holds.may_reap
    mono[0] = 1035
    assert holds.may_reap
    assert holds.may_emit


@pytest.mark.parametrize("way", [1, -1])
def test_b088_a_jump_either_way_holds_the_reaper_for_a_lease(mono: list[float], holds: Holds, way: int) -> None:
    holds.clock_jumped(5 * way)
    assert holds.may_reap
    holds.clock_jumped(6 * way)
    assert not holds.may_reap
    assert holds.may_emit
    mono[0] += 29.9
    assert not holds.may_reap
    mono[0] += 0.1
    assert holds.may_reap


def test_a_jump_just_after_connecting_shortens_no_wait(mono: list[float], holds: Holds) -> None:
    holds.connected()
    holds.clock_jumped(6)
    mono[0] += 34.9
    assert not holds.may_reap


@pytest.mark.parametrize("way", [1, -1])
def test_after_a_jump_no_leader_is_ended_for_a_ttl(mono: list[float], holds: Holds, way: int) -> None:
    assert holds.may_end_leader
    holds.clock_jumped(6 * way)
    mono[0] += 9.9
    assert not holds.may_end_leader
    mono[0] += 0.1
    assert holds.may_end_leader


def test_the_clock_s_own_course_holds_nothing(mono: list[float], holds: Holds) -> None:
    for seconds in (0, 20, 3600):
        mono[0] = 1000 + seconds
        holds.saw_clock(at(seconds), sent=mono[0])
    assert holds.may_reap
    holds.saw_clock(at(3606), sent=mono[0])
    assert not holds.may_reap


def test_a_large_jump_either_way_stops_emission_until_the_clock_is_calm(mono: list[float], holds: Holds) -> None:
    holds.clock_jumped(-61)
    assert not holds.may_emit
    mono[0] += 29
    holds.clock_jumped(61)
    mono[0] += 29
    assert not holds.may_emit
    mono[0] += 1
    assert holds.may_emit
