"""Rows that others hold locked: the clerk leaves them for later, and keeps its leases meanwhile."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from jobs import clock
from jobs.store.leases import Published
from jobs.worker.clerk import Clerk
from jobs.worker.ledger import Ledger
from tests.support.elsewhere import Elsewhere, hang_up, sql
from tests.support.factories import make_endpoint, make_job
from tests.support.fake_consumer import FakeConsumer
from tests.support.runs import get_run, make_run

pytestmark = pytest.mark.usefixtures("committed")


def test_one_locked_row_of_many_holds_up_the_others_for_one_lock_timeout(clerk: Clerk, consumer: FakeConsumer) -> None:
    """A batch of 500 is halved nine times; nothing is renewed until that is over."""
    job = make_job(kind="manual")
    locked, *free = [make_run(job) for _ in range(64)]
    with Elsewhere() as there:
        there.do(sql, "BEGIN")
        there.do(sql, "SELECT FROM jobs_jobrun WHERE scheduled_for = %s FOR UPDATE", locked.scheduled_for)
        for key in (locked, *free):
            clerk.arrived(consumer.message(str(key)), Published(key, 0))
        began = clock.monotonic()
        clerk.tick(0)
        assert clock.monotonic() - began < 4
        assert clerk.holds.keys() == set(free)
        there.do(sql, "ROLLBACK")
    clerk.tick(0)
    assert get_run(locked).status == "running"


def test_a_run_whose_lock_lasts_lets_others_be_claimed_turn_after_turn(clerk: Clerk, consumer: FakeConsumer) -> None:
    locked, later = make_run(), make_run()
    with Elsewhere() as there:
        there.do(sql, "BEGIN")
        there.do(sql, "SELECT FROM jobs_jobrun WHERE scheduled_for = %s FOR UPDATE", locked.scheduled_for)
        clerk.arrived(consumer.message(str(locked)), Published(locked, 0))
        clerk.tick(0)
        clerk.arrived(consumer.message(str(later)), Published(later, 0))
        clerk.tick(0)
        assert clerk.holds.keys() == {later}
        there.do(sql, "ROLLBACK")


def test_where_all_rows_are_locked_the_halving_ends_in_time() -> None:
    def locked(part: Sequence[int]) -> dict[int, int]:
        sql("SELECT pg_advisory_xact_lock(1)")
        return dict.fromkeys(part, 0)

    with Elsewhere() as there:
        there.do(sql, "SELECT pg_advisory_lock(1)")
        began = clock.monotonic()
        try:
            answers, faulty = Ledger().run_apart(locked, range(500))
        finally:
            hang_up()
    assert clock.monotonic() - began < 8
    assert (answers, {item for item, _ in faulty}) == ({}, set(range(500)))


def test_runs_won_before_the_second_question_met_a_lock_are_held(clerk: Clerk, consumer: FakeConsumer) -> None:
    """I3: denied as running they would wait a lease for the reaper, and under at-most-once end without having run."""
    task = make_run(make_job(kind="manual", delivery="at_most_once"))
    call = make_run(make_job(kind="manual", task="", endpoint=make_endpoint()))
    with Elsewhere() as there:
        there.do(sql, "BEGIN")
        there.do(sql, "LOCK TABLE jobs_endpoint")
        for key in (task, call):
            clerk.arrived(consumer.message(str(key)), Published(key, 0))
        clerk.tick(0)
        assert [get_run(key).status for key in (task, call)] == ["running", "running"]
        assert (clerk.holds.keys(), consumer.acknowledged) == ({task}, [])
        there.do(sql, "ROLLBACK")
    clerk.tick(0)
    assert clerk.holds.keys() == {task, call}
    assert clerk.holds[call].target is not None
    assert [get_run(key).token for key in (task, call)] == [1, 1]
