"""The clerk, turned by hand: rows that are refused or locked, a database that is away, bodies that outlive a lease."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import pytest

from jobs import clock
from jobs.domain.messages import RUN_HEADER, RunKey
from jobs.domain.outcomes import Fault, Kind, Outcome
from jobs.store.leases import Published
from jobs.worker import clerk as module
from jobs.worker import intake, keeping
from jobs.worker.clerk import Clerk
from jobs.worker.hold import Ending, Hold
from tests.support.elsewhere import Elsewhere, sql
from tests.support.factories import make_job
from tests.support.fake_consumer import FakeConsumer, away, finish, start
from tests.support.runs import get_run, make_run, set_run
from tests.support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("committed")


def test_a_claimed_run_carries_its_attempt_and_is_acknowledged_when_settled(
    clerk: Clerk, consumer: FakeConsumer
) -> None:
    key = make_run(make_job(kind="manual", name="the-job"), attempts=2)
    (hold,) = start(clerk, consumer, key)
    assert hold.message.headers["retries"] == 2
    assert hold.message.headers[RUN_HEADER] == {"key": str(key), "job": "the-job", "attempt": 3}
    assert consumer.acknowledged == []
    finish(clerk, hold, Outcome(Kind.SUCCEEDED, "1"))
    clerk.tick(0)
    assert get_run(key).status == "succeeded"
    assert consumer.acknowledged == [str(key)]
    assert clerk.holds == {}


def test_an_ended_run_is_freed_without_the_garbage_collector(clerk: Clerk, consumer: FakeConsumer) -> None:
    (hold,) = start(clerk, consumer, make_run(make_job(kind="manual")))
    hold.request.hold = hold
    finish(clerk, hold, Outcome(Kind.SUCCEEDED, "1"))
    clerk.tick(0)
    consumer.started.clear()
    left = weakref.ref(hold)
    gc.disable()
    try:
        del hold
        assert left() is None
    finally:
        gc.enable()


def test_a_row_that_the_database_refuses_settles_alone_and_says_so(clerk: Clerk, consumer: FakeConsumer) -> None:
    keys = [make_run() for _ in range(5)]
    holds = start(clerk, consumer, *keys)
    for number, hold in enumerate(holds):
        finish(clerk, hold, Outcome(Kind.SUCCEEDED, '"\\u0000"' if number == 2 else str(number)))
    clerk.tick(0)
    assert [get_run(key).status for key in keys] == ["succeeded"] * 5
    assert [get_run(key).result for key in keys] == [0, 1, None, 3, 4]
    assert get_run(keys[2]).last_error.startswith("DataError: The data could not be stored")


def test_a_message_that_the_database_refuses_harms_no_other(clerk: Clerk, consumer: FakeConsumer) -> None:
    key = make_run()
    absurd = Published(RunKey(2**70, key.scheduled_for), 2**40)
    clerk.arrived(consumer.message("absurd"), absurd)
    clerk.arrived_unknown(consumer.message("absurd too"), absurd, "a")
    start(clerk, consumer, key)
    assert get_run(key).status == "running"
    assert sorted(consumer.acknowledged) == ["absurd", "absurd too"]


@pytest.mark.parametrize("name", ["a\x00b", "a\ud800b"])
def test_a_name_that_the_database_cannot_hold_is_noted_all_the_same(
    clerk: Clerk, consumer: FakeConsumer, name: str
) -> None:
    """Half a surrogate pair is refused before the database sees it, and would fail every turn of the clerk."""
    key = make_run()
    clerk.arrived_unknown(consumer.message("unknown"), Published(key, 0), name)
    clerk.arrived_marker(consumer.message("marker"), name, clock.utcnow())
    clerk.tick(0)
    assert get_run(key).last_error.endswith(" the task a\N{REPLACEMENT CHARACTER}b")
    assert sorted(consumer.acknowledged) == ["marker", "unknown"]


def test_a_turn_that_fails_again_and_again_is_tried_once_a_second(
    clerk: Clerk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(_timeout: float) -> int:
        turns.append(clock.monotonic())
        raise RuntimeError("no")

    turns: list[float] = []
    monkeypatch.setattr(clerk, "tick", fails)
    clerk._hurry.set()
    thread = threading.Thread(target=clerk._run, daemon=True)
    thread.start()
    wait_until(lambda: len(turns) > 2, timeout=10, what="three turns")
    clerk._stop_by = 0.0
    clerk._hurry.set()
    thread.join(5)
    assert not thread.is_alive()
    assert turns[2] - turns[1] > module.LONGEST_WAIT / 2
    assert "clerk.failed" in caplog.text


def test_a_locked_row_holds_up_no_other(clerk: Clerk, consumer: FakeConsumer) -> None:
    locked, free = make_run(), make_run()
    with Elsewhere() as there:
        there.do(sql, "BEGIN")
        there.do(sql, "SELECT FROM jobs_jobrun WHERE scheduled_for = %s FOR UPDATE", locked.scheduled_for)
        for key in (locked, free):
            clerk.arrived(consumer.message(str(key)), Published(key, 0))
        clerk.tick(0)
        assert get_run(free).status == "running"
        there.do(sql, "ROLLBACK")
    clerk.tick(0)
    assert get_run(locked).status == "running"
    assert consumer.acknowledged == []


def test_what_came_while_the_database_wasaway_is_done_when_it_is_back(
    clerk: Clerk, consumer: FakeConsumer, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = make_run()
    with monkeypatch.context() as patched:
        patched.setattr(intake, "claim", away)
        clerk.arrived(consumer.message(str(key)), Published(key, 0))
        clerk.tick(0)
        assert consumer.started == consumer.acknowledged == []
    monkeypatch.setattr(clerk._ledger, "_back_at", 0.0)
    clerk.tick(0)
    assert get_run(key).status == "running"


@pytest.mark.parametrize(
    ("policy", "ended"),
    [
        ({}, []),
        ({"delivery": "at_most_once"}, ["SIGKILL"]),
        ({"concurrency_policy": "forbid"}, ["SIGKILL"]),
        ({"concurrency_policy": "replace"}, ["SIGKILL"]),
    ],
)
def test_only_a_body_that_may_have_no_twin_is_ended_when_its_lease_cannot_be_renewed(
    clerk: Clerk,
    consumer: FakeConsumer,
    monkeypatch: pytest.MonkeyPatch,
    policy: dict[str, Any],
    ended: list[str],
) -> None:
    key = make_run(make_job(kind="manual", **policy))
    (hold,) = start(clerk, consumer, key)
    monkeypatch.setattr(keeping, "heartbeat", away)
    monkeypatch.setattr(clerk._keeping, "_next_beat", 0.0)
    clerk.tick(0)
    assert hold.request.signals == []
    hold.lease_until = clock.monotonic() - 0.001
    clerk.tick(0)
    assert hold.request.signals == ended


def test_a_body_deaf_to_sigterm_is_killed(
    clerk: Clerk, consumer: FakeConsumer, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = make_run()
    (hold,) = start(clerk, consumer, key)
    sql("UPDATE jobs_jobrun SET cancel_requested_at = clock_timestamp()")
    monkeypatch.setattr(clerk._keeping, "_next_beat", 0.0)
    clerk.tick(0)
    assert (hold.ending, hold.request.signals) == (Ending.CANCELLED, ["SIGTERM"])
    assert hold.ending_since is not None
    hold.ending_since -= keeping.KILL_AFTER
    clerk.tick(0)
    assert hold.request.signals == ["SIGTERM", "SIGKILL"]
    assert get_run(key).status == "running"


def test_a_failing_run_asked_to_cancel_is_not_queued_again(clerk: Clerk, consumer: FakeConsumer) -> None:
    key = make_run()
    (hold,) = start(clerk, consumer, key)
    set_run(key, "cancel_requested_at = clock_timestamp()")
    finish(clerk, hold, Outcome(Kind.FAILED, fault=Fault("Error", "no")))
    clerk.tick(0)
    assert get_run(key).status == "cancelled"


def test_a_start_is_written_at_the_next_heartbeat(
    clerk: Clerk, consumer: FakeConsumer, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = make_run()
    start(clerk, consumer, key)
    assert (get_run(key).attempts, get_run(key).started_at) == (0, None)
    monkeypatch.setattr(clerk._keeping, "_next_beat", 0.0)
    clerk.tick(0)
    assert get_run(key).attempts == 1
    assert get_run(key).started_at is not None


@pytest.mark.parametrize("given_too", [False, True])
def test_what_may_have_begun_is_handed_back_only_where_a_second_body_does_no_harm(
    clerk: Clerk, consumer: FakeConsumer, monkeypatch: pytest.MonkeyPatch, given_too: bool
) -> None:
    often = [make_run() for _ in range(3)]
    once = [make_run(make_job(kind="manual", delivery="at_most_once")) for _ in range(2)]
    holds = start(clerk, consumer, *often, *once)
    for hold in holds[1:]:
        hold.started = None
    holds[1].given = holds[3].given = False
    clerk._hand_back(given_too, threading.Event())
    back = {key for key in (*often, *once) if get_run(key).status == "queued"}
    assert back == {often[1], once[0], *([often[2]] if given_too else [])}
    assert [get_run(key).attempts for key in once] == [0, 1]
    assert holds[4].forsaken == given_too
    monkeypatch.setattr(clerk._keeping, "_next_beat", 0.0)
    clerk.tick(0)
    finish(clerk, holds[4], Outcome(Kind.SUCCEEDED))
    clerk.tick(0)
    assert get_run(once[1]).status == "succeeded"


def test_a_hand_back_of_nothing_tells_nothing(clerk: Clerk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "beatkeeper")
    clerk._hand_back(True, threading.Event())
    assert "clerk.handed_back" not in caplog.text


def test_while_runs_wait_for_the_pool_the_clerk_lingers_until_half_of_them_have_ended(
    clerk: Clerk, monkeypatch: pytest.MonkeyPatch
) -> None:
    holds = waiting(clerk, 9)
    monkeypatch.setattr(module, "LONGEST_LINGER", 60.0)
    clerk._flushed_at = clock.monotonic()
    lingering = threading.Thread(target=clerk._linger, daemon=True)
    lingering.start()
    wait_until(lambda: clerk._ends_to_wait_for == 4, timeout=5, what="the clerk to linger")
    for hold in holds[:3]:
        finish(clerk, hold, Outcome(Kind.SUCCEEDED))
    lingering.join(0.05)
    assert lingering.is_alive()
    finish(clerk, holds[3], Outcome(Kind.SUCCEEDED))
    lingering.join(5)
    assert not lingering.is_alive()


@pytest.mark.parametrize("number", [0, 2])
def test_a_pool_that_may_take_all_at_once_makes_no_run_wait_for_others(
    clerk: Clerk, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    waiting(clerk, number)
    monkeypatch.setattr(module, "LONGEST_LINGER", 60.0)
    clerk._flushed_at = began = clock.monotonic()
    clerk._linger()
    assert clock.monotonic() - began < 5


def waiting(clerk: Clerk, number: int) -> list[Hold]:
    """Claimed runs whose bodies have not started."""
    keys = [make_run() for _ in range(number)]
    for key in keys:
        clerk.arrived(clerk.hands._consumer.message(str(key)), Published(key, 0))
    clerk.tick(0)
    return [clerk.holds[key] for key in keys]
