"""A worker wins a run again whose first lease it still believes in, or gets a second message of one that it holds."""

from __future__ import annotations

from typing import Any

import pytest

from jobs.domain.outcomes import Kind, Outcome
from jobs.store.leases import Published
from jobs.worker import intake
from jobs.worker.clerk import Clerk
from jobs.worker.hold import Ending
from tests.support.fake_consumer import FakeConsumer, away, finish, start
from tests.support.runs import OTHER, get_run, make_run, set_run

pytestmark = pytest.mark.usefixtures("committed")

REAPED = "status = 'queued', token = token + 1, locked_by = NULL, locked_until = NULL"


def test_a_run_won_again_before_its_first_lease_is_known_to_be_lost_ends_its_first_body(
    clerk: Clerk, consumer: FakeConsumer
) -> None:
    key = make_run()
    (first,) = start(clerk, consumer, key)
    set_run(key, REAPED)
    clerk.arrived(consumer.message("second"), Published(key, 2))
    clerk.tick(0)
    second = clerk.holds[key]
    assert (second.lease.token, first.ending) == (3, Ending.LEASE_LOST)
    assert (first.request.signals, second.request.signals) == (["SIGKILL"], [])
    finish(clerk, first, Outcome(Kind.SUCCEEDED))
    clerk.tick(0)
    assert (consumer.acknowledged, clerk.holds[key]) == ([str(key)], second)
    finish(clerk, second, Outcome(Kind.SUCCEEDED))
    clerk.tick(0)
    assert consumer.acknowledged == [str(key), "second"]
    assert (get_run(key).status, get_run(key).token) == ("succeeded", 3)


def test_a_body_that_ends_while_its_lease_is_found_lost_has_its_message_acknowledged_once(
    clerk: Clerk, consumer: FakeConsumer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tag that is acknowledged twice closes the channel, and with it all that the worker was given."""
    posted: list[Any] = []
    key = make_run()
    (hold,) = start(clerk, consumer, key)
    set_run(key, "locked_by = %s", OTHER)
    monkeypatch.setattr(consumer, "call_soon", lambda act, *args: posted.append((act, args)))
    monkeypatch.setattr(clerk._keeping, "_next_beat", 0.0)
    hold.ended = True
    clerk._keeping.beat()
    clerk.told(hold, Outcome(Kind.SUCCEEDED))
    clerk.tick(0)
    for act, args in posted:
        act(*args)
    assert consumer.acknowledged == [str(key)]
    assert clerk.holds == {}
    assert get_run(key).status == "running"


def test_a_second_message_of_a_run_that_is_held_starts_nothing_though_no_answer_comes(
    clerk: Clerk, consumer: FakeConsumer, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = make_run()
    (hold,) = start(clerk, consumer, key)
    with monkeypatch.context() as patched:
        patched.setattr(intake, "claim", away)
        clerk.arrived(consumer.message("copy"), Published(key, 0))
        clerk.tick(0)
    monkeypatch.setattr(clerk._ledger, "_back_at", 0.0)
    clerk.tick(0)
    assert (clerk.holds, consumer.started, consumer.acknowledged) == ({key: hold}, [hold], ["copy"])
