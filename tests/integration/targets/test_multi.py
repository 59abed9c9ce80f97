"""Many calls at once in one thread, and what other threads may do to them."""

from __future__ import annotations

import logging
import socket
import threading
from typing import Any

import pytest

from jobs.domain.answers import Answer, Failure, FailureKind
from jobs.targets.driver import Driver
from jobs.targets.multi import Multi
from tests.support.http_calls import call_to
from tests.support.http_server import answer, hang, reset, serving, wait_for
from tests.support.told_calls import Told
from tests.support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("loopback")
URL = "http://127.0.0.1:1/"


def _events(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.getMessage().startswith("http.")]


def test_calls_are_in_flight_side_by_side(told: Told) -> None:
    gate = threading.Event()
    with serving(wait_for(gate, answer())) as server:
        for number in range(200):
            told.submit(number, server.url())
        wait_until(lambda: len(server.requests) == 200, 30)
        assert told.multi.in_flight == 200
        gate.set()
        assert told.multi.drain(30)

    assert told.kinds() == [200] * 200
    assert told.multi.in_flight == 0


def test_connections_are_used_again(told: Told) -> None:
    with serving(answer()) as server:
        for number in range(20):
            told.submit(number, server.url())
            assert told.multi.drain(10)

    assert (told.kinds(), server.hits) == ([200] * 20, 1)


def test_one_call_s_end_is_no_other_s(told: Told) -> None:
    with serving(answer("404 Not Found")) as missing, serving(reset()) as broken, serving(hang()) as silent:
        told.submit(1, missing.url())
        told.submit(2, broken.url())
        told.submit(3, silent.url(), seconds=0.3)
        told.submit(4, "http://[::1/")
        told.submit(5, "http://10.0.0.5/")
        assert told.multi.drain(10)

    kinds = {number: item.kind if isinstance(item, Failure) else item.status for number, item in told.done.items()}
    assert kinds == {
        1: 404,
        2: FailureKind.CONNECTION,
        3: FailureKind.TIMED_OUT,
        4: FailureKind.PROTOCOL,
        5: FailureKind.REFUSED_ADDRESS,
    }


def test_a_handle_used_again_carries_nothing_over(told: Told) -> None:
    with serving(answer("500 Oops", b"x" * 9000, "Retry-After: 5")) as first, serving(answer()) as second:
        told.submit(1, first.url())
        assert told.multi.drain(10)
        told.submit(2, second.url())
        assert told.multi.drain(10)

    result = told.done[2]
    assert isinstance(result, Answer)
    assert (result.reason, result.text, result.is_cut, result.retry_after) == ("OK", "", False, None)


def test_a_call_whose_start_says_no_is_dropped_without_a_word(told: Told) -> None:
    with serving(answer()) as server:
        told.submit(1, server.url(), wanted=False)
        assert told.multi.drain(10)

    assert (told.started, told.done, server.hits) == ([1], {}, 0)


def test_a_call_cancelled_before_it_began_never_begins(multi: Multi) -> None:
    told = Told(multi)
    told.submit(1, URL)
    multi.cancel(1)

    multi.start()

    assert multi.drain(10)
    assert (told.started, told.kinds()) == ([], [FailureKind.CANCELLED])


def test_a_call_cancelled_in_flight_ends_at_once_and_alone(told: Told) -> None:
    gate = threading.Event()
    with serving(wait_for(gate, answer())) as server:
        told.submit(1, server.url())
        told.submit(2, server.url())
        wait_until(lambda: len(server.requests) == 2)
        told.multi.cancel(1)
        wait_until(lambda: told.done)
        gate.set()
        assert told.multi.drain(10)

    assert told.kinds() == [FailureKind.CANCELLED, 200]
    assert list(told.done) == [1, 2]


def test_a_call_cancelled_after_its_end_stays_as_it_is(told: Told) -> None:
    with serving(answer()) as server:
        told.submit(1, server.url())
        assert told.multi.drain(10)
        told.multi.cancel(1)
        told.multi.cancel(99)
        told.submit(2, server.url())
        assert told.multi.drain(10)

    assert told.kinds() == [200, 200]


def test_drain_says_when_calls_are_left(told: Told) -> None:
    with serving(hang()) as server:
        told.submit(1, server.url())

        assert not told.multi.drain(0.05)


def test_stop_ends_what_is_in_flight_and_what_has_not_begun(told: Told) -> None:
    with serving(hang()) as server:
        told.submit(1, server.url())
        wait_until(lambda: server.requests)
        told.multi.stop()
        told.submit(2, server.url())

    assert (told.started, told.kinds()) == ([1], [FailureKind.CANCELLED] * 2)
    assert told.multi.in_flight == 0


def test_stop_is_safe_before_the_start_and_twice() -> None:
    multi = Multi()
    told = Told(multi)
    told.submit(1, URL)

    multi.stop()
    multi.stop()
    multi.cancel(1)

    assert (told.started, told.kinds()) == ([], [FailureKind.CANCELLED])


def test_stop_may_be_called_by_a_callback(multi: Multi) -> None:
    done: list[Answer | Failure] = []

    def on_done(result: Answer | Failure) -> None:
        done.append(result)
        multi.stop()

    multi.start()
    multi.submit(1, call_to(URL), on_start=lambda: None, on_done=on_done)

    assert multi.drain(10)
    multi.submit(2, call_to(URL), on_start=lambda: None, on_done=done.append)
    multi.stop()  # waits for the thread's end
    assert [result.kind for result in done if isinstance(result, Failure)] == [
        FailureKind.CONNECTION,
        FailureKind.CANCELLED,
    ]
    assert multi.in_flight == 0


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(1)], ids=["error", "exit"])
def test_what_a_callback_raises_is_logged_and_ends_no_thread(
    error: BaseException, told: Told, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise error

    results: list[Answer | Failure] = []
    with caplog.at_level(logging.ERROR, "beatkeeper"), serving(answer()) as server:
        told.multi.submit(1, call_to(server.url()), on_start=fail, on_done=results.append)
        told.multi.submit(2, call_to(server.url()), on_start=lambda: None, on_done=fail)
        told.submit(3, server.url())
        assert told.multi.drain(10)

    assert told.kinds() == [200]
    assert isinstance(results[0], Failure)
    assert results[0].message == "The call was not begun: its start could not be noted."
    assert len(server.requests) == 2
    assert sorted(event.split(" error=")[0] for event in _events(caplog)) == [
        "http.callback_failed callback=on_done",
        "http.callback_failed callback=on_start",
    ]


def test_an_answer_that_cannot_be_read_is_that_call_s_trouble(
    told: Told, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("s3cr3t")

    with caplog.at_level(logging.ERROR, "beatkeeper"), serving(answer()) as server:
        with monkeypatch.context() as patched:
            patched.setattr("jobs.targets.exchange.snippet", fail)
            told.submit(1, server.url())
            assert told.multi.drain(10)
        told.submit(2, server.url())
        assert told.multi.drain(10)

    assert told.kinds() == [FailureKind.PROTOCOL, 200]
    assert _events(caplog) == ["http.answer_failed error=ValueError"]


def test_a_turn_that_fails_is_not_the_last(
    multi: Multi, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn, failures = Driver.turn, [OSError("once")]

    def fail_once(driver: Driver, patience: float) -> Any:
        if failures:
            raise failures.pop()
        return turn(driver, patience)

    monkeypatch.setattr(Driver, "turn", fail_once)
    told = Told(multi)
    with caplog.at_level(logging.ERROR, "beatkeeper"), serving(answer()) as server:
        told.submit(1, server.url())
        multi.start()
        assert multi.drain(10)

    assert told.kinds() == [200]
    assert len(_events(caplog)) == 1
    assert _events(caplog)[0].startswith("http.turn_failed")


def test_more_than_1024_sockets_are_no_trouble(told: Told) -> None:
    """Numbers beyond what select() can do."""
    spare = [socket.socket() for _ in range(1100)]
    try:
        with serving(answer()) as server:
            told.submit(1, server.url())
            assert told.multi.drain(10)
    finally:
        for item in spare:
            item.close()

    assert told.kinds() == [200]
