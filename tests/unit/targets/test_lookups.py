"""Calls waiting for a host to be looked up."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from jobs import clock
from jobs.targets import lookups as module
from jobs.targets.lookup import Found
from jobs.targets.lookups import Lookups
from tests.support.waiting import wait_until


class Resolver:
    """Stands for the system's: answers when the gate is open, and notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.gate = threading.Event()

    def __call__(self, host: str) -> Found:
        self.asked.append(host)
        self.gate.wait()
        return ("1.1.1.1",)


@pytest.fixture
def resolver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Resolver]:
    resolver = Resolver()
    monkeypatch.setattr(module, "look_up", resolver)
    yield resolver
    resolver.gate.set()


@pytest.fixture
def lookups(resolver: Resolver) -> Iterator[Lookups[str]]:
    lookups: Lookups[str] = Lookups(lambda: None)
    yield lookups
    lookups.close()


def _later() -> float:
    return clock.monotonic() + 60


def test_a_host_is_looked_up_once_for_all_who_wait(lookups: Lookups[str], resolver: Resolver) -> None:
    for name in ("a", "b", "c"):
        lookups.add("endpoint.example", name, deadline=_later())
    resolver.gate.set()

    came = wait_until(lambda: list(lookups.ready()))

    assert came == [(name, ("1.1.1.1",)) for name in ("a", "b", "c")]
    assert resolver.asked == ["endpoint.example"]
    assert lookups.known("endpoint.example") == ("1.1.1.1",)


def test_a_slow_host_does_not_hold_up_another(
    lookups: Lookups[str], resolver: Resolver, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(200):
        lookups.add("slow.example", f"slow {number}", deadline=_later())
    wait_until(lambda: resolver.asked)
    monkeypatch.setattr(module, "look_up", lambda _: ("2.2.2.2",))
    lookups.add("quick.example", "quick", deadline=_later())

    assert wait_until(lambda: list(lookups.ready())) == [("quick", ("2.2.2.2",))]


def test_who_waits_past_the_deadline_gets_nothing(lookups: Lookups[str], resolver: Resolver) -> None:
    lookups.add("endpoint.example", "late", deadline=clock.monotonic())
    lookups.add("endpoint.example", "early", deadline=_later())

    assert list(lookups.ready()) == [("late", None)]
    assert 0 < lookups.patience <= 60


def test_the_next_call_joins_a_look_up_that_its_callers_gave_up(lookups: Lookups[str], resolver: Resolver) -> None:
    lookups.add("endpoint.example", "late", deadline=clock.monotonic())
    assert list(lookups.ready()) == [("late", None)]
    lookups.add("endpoint.example", "next", deadline=_later())
    resolver.gate.set()

    assert wait_until(lambda: list(lookups.ready())) == [("next", ("1.1.1.1",))]
    assert resolver.asked == ["endpoint.example"]


def test_those_that_are_taken_wait_no_longer(lookups: Lookups[str], resolver: Resolver) -> None:
    for name in ("a", "b"):
        lookups.add("endpoint.example", name, deadline=_later())

    assert lookups.take(lambda name: name == "a") == ["a"]
    resolver.gate.set()
    assert wait_until(lambda: list(lookups.ready())) == [("b", ("1.1.1.1",))]


def test_nobody_is_woken_after_the_close(resolver: Resolver) -> None:
    woken: list[bool] = []
    before = set(threading.enumerate())
    lookups: Lookups[str] = Lookups(lambda: woken.append(True))
    lookups.add("endpoint.example", "a", deadline=_later())
    wait_until(lambda: resolver.asked)
    (thread,) = set(threading.enumerate()) - before

    lookups.close()
    resolver.gate.set()

    wait_until(lambda: not thread.is_alive())
    assert woken == []
