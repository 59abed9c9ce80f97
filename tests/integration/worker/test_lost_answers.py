"""The database carries a statement out, and the clerk never hears of it: nothing is lost, and nothing taken twice."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from jobs import clock
from jobs.domain.outcomes import Fault, Kind, Outcome
from jobs.store.clock import database_now
from jobs.store.leases import Published
from jobs.worker import intake, settling
from jobs.worker.clerk import Clerk
from tests.support.factories import make_job
from tests.support.fake_consumer import FakeConsumer, away, finish, start
from tests.support.runs import OTHER, get_run, make_run, set_run

pytestmark = pytest.mark.usefixtures("committed")


@pytest.mark.parametrize("policy", [{}, {"delivery": "at_most_once"}])
def test_a_claim_whose_answer_was_lost_is_taken_up(
    clerk: Clerk, consumer: FakeConsumer, monkeypatch: pytest.MonkeyPatch, policy: dict[str, Any]
) -> None:
    """I3: denied as running, it would wait a lease for the reaper, and under at-most-once end without having run."""
    key, other = make_run(make_job(kind="manual", **policy)), make_run()
    with monkeypatch.context() as patched:
        patched.setattr(intake, "claim", _answer_lost(intake.claim))
        clerk.arrived(consumer.message(str(key)), Published(key, 0))
        clerk.tick(0)
    assert (get_run(key).status, consumer.started) == ("running", [])
    set_run(key, "locked_until = clock_timestamp()")
    monkeypatch.setattr(clerk._ledger, "_back_at", 0.0)
    clerk.arrived(consumer.message(str(other)), Published(other, 0))
    clerk.tick(0)
    clerk.tick(0)
    held = clerk.holds[key]
    assert (held.lease.token, held.attempt.number) == (1, 1)
    assert get_run(key).locked_until > database_now() + timedelta(seconds=20)
    assert {hold.lease.key for hold in consumer.started} == {key, other}
    finish(clerk, held, Outcome(Kind.SUCCEEDED))
    clerk.tick(0)
    assert (get_run(key).status, get_run(key).attempts, get_run(key).token) == ("succeeded", 1, 1)


def test_a_lost_answer_gives_nobody_else_s_runaway(
    clerk: Clerk, consumer: FakeConsumer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I4: neither one that another worker has won since, nor one whose body this worker ended itself."""
    taken, ended = make_run(), make_run(make_job(kind="manual", delivery="at_most_once"))
    start(clerk, consumer, ended)
    del clerk.holds[ended]
    with monkeypatch.context() as patched:
        patched.setattr(intake, "claim", away)
        clerk.arrived(consumer.message(str(taken)), Published(taken, 0))
        clerk.tick(0)
    set_run(taken, "status = 'running', token = 1, locked_by = %s, locked_until = clock_timestamp()", OTHER)
    monkeypatch.setattr(clerk._ledger, "_back_at", 0.0)
    clerk.arrived(consumer.message("again"), Published(ended, 0))
    clerk.tick(0)
    clerk.tick(0)
    assert clerk.holds == {}
    assert sorted(consumer.acknowledged) == sorted([str(taken), "again"])
    assert get_run(taken).locked_by == OTHER


@pytest.mark.parametrize(("kind", "status"), [(Kind.SUCCEEDED, "succeeded"), (Kind.FAILED, "queued")])
def test_an_outcome_whose_answer_was_lost_is_settled_and_not_lost(
    clerk: Clerk,
    consumer: FakeConsumer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    kind: Kind,
    status: str,
) -> None:
    caplog.set_level("DEBUG", "beatkeeper")
    key = make_run()
    (hold,) = start(clerk, consumer, key)
    finish(clerk, hold, Outcome(kind, fault=Fault("Error", "no")))
    with monkeypatch.context() as patched:
        patched.setattr(settling, "settle", _answer_lost(settling.settle))
        clerk.tick(0)
    assert (get_run(key).status, consumer.acknowledged) == (status, [])
    monkeypatch.setattr(clerk._ledger, "_back_at", 0.0)
    monkeypatch.setattr(clerk._keeping, "_next_beat", 0.0)
    clerk.tick(0)
    assert (clerk.holds, consumer.acknowledged) == ({}, [str(key)])
    assert "run.settled" in caplog.text
    assert "run.lease_lost" not in caplog.text


def test_an_outcome_whose_run_was_reaped_meanwhile_is_told_as_lost(
    clerk: Clerk, consumer: FakeConsumer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    key = make_run()
    (hold,) = start(clerk, consumer, key)
    finish(clerk, hold, Outcome(Kind.FAILED, fault=Fault("Error", "no")))
    with monkeypatch.context() as patched:
        patched.setattr(settling, "settle", away)
        clerk.tick(0)
    set_run(key, "status = 'queued', locked_by = NULL, locked_until = NULL, last_error = 'The lease ran out.'")
    monkeypatch.setattr(clerk._ledger, "_back_at", 0.0)
    clerk.tick(0)
    assert "run.lease_lost" in caplog.text
    assert consumer.acknowledged == [str(key)]


def test_an_outcome_outlives_its_lease_until_the_database_is_back(
    clerk: Clerk, consumer: FakeConsumer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I3: the body has ended in time; whether the row is still its own the fence decides."""
    key = make_run(make_job(kind="manual", delivery="at_most_once"))
    (hold,) = start(clerk, consumer, key)
    finish(clerk, hold, Outcome(Kind.SUCCEEDED))
    hold.lease_until = clock.monotonic() - 1
    with monkeypatch.context() as patched:
        patched.setattr(settling, "settle", away)
        clerk.tick(0)
    monkeypatch.setattr(clerk._ledger, "_back_at", 0.0)
    clerk.tick(0)
    assert get_run(key).status == "succeeded"


def _answer_lost(statement: Any) -> Any:
    """The statement is carried out, and the connection breaks before its answer is read."""

    def carry_out(*args: Any, **options: Any) -> Any:
        statement(*args, **options)
        return away()

    return carry_out
