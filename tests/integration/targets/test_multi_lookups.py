"""A host that cannot be looked up holds up its own call alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from jobs.domain.answers import Failure, FailureKind
from jobs.targets import lookups
from tests.support.http_server import answer, serving
from tests.support.told_calls import Told
from tests.support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("loopback")


@pytest.fixture
def silent_resolver(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Names of ``silent.example`` are answered when the gate opens, all others at once."""
    gate = threading.Event()
    real: Callable[[str], Any] = lookups.look_up

    def look_up(host: str) -> Any:
        if host == "silent.example":
            gate.wait()
            return "No address"
        return ("127.0.0.1",) if host.endswith(".example") else real(host)

    monkeypatch.setattr(lookups, "look_up", look_up)
    yield gate
    gate.set()


def test_a_host_that_cannot_be_looked_up_holds_up_no_other(told: Told, silent_resolver: threading.Event) -> None:
    with serving(answer()) as server:
        for number in range(100):
            told.submit(number, server.url("silent.example"))
        told.submit(100, server.url("quick.example"))
        wait_until(lambda: told.done)
        assert told.kinds() == [200]
        silent_resolver.set()
        assert told.multi.drain(10)

    assert told.kinds() == [200] + [FailureKind.UNRESOLVED] * 100
    assert server.hits == 1


def test_the_deadline_bounds_the_look_up_too(told: Told, silent_resolver: threading.Event) -> None:
    told.submit(1, "http://silent.example/", seconds=0.2)
    assert told.multi.drain(10)

    result = told.done[1]
    assert isinstance(result, Failure)
    assert (result.kind, result.message) == (
        FailureKind.TIMED_OUT,
        'The host "silent.example" could not be looked up within 0.2 s.',
    )


def test_a_call_that_waits_for_its_host_can_be_cancelled_and_stopped(
    told: Told, silent_resolver: threading.Event
) -> None:
    told.submit(1, "http://silent.example/")
    told.submit(2, "http://silent.example/")
    wait_until(lambda: len(told.started) == 2)
    told.multi.cancel(1)
    wait_until(lambda: told.done)
    told.multi.stop()

    assert told.kinds() == [FailureKind.CANCELLED] * 2
