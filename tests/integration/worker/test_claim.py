"""Who wins a run, and what becomes of a message that wins none."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from jobs.domain.messages import RunKey
from jobs.models import Job
from jobs.services.claim import claim, postpone_unknown
from jobs.store.clock import database_now
from jobs.store.leases import Answer, Published
from tests.support.elsewhere import Elsewhere, hang_up, sql
from tests.support.factories import make_job
from tests.support.runs import OTHER, WORKER, get_run, make_run, set_run

pytestmark = pytest.mark.django_db


def ask(key: RunKey, token: int = 0, **options: Any) -> Answer | None:
    answers = claim([Published(key, token)], worker=WORKER, **options)
    return answers[Published(key, token)].answer if answers else None


def test_a_due_run_is_won_with_the_next_token_for_one_lease() -> None:
    key = make_run(make_job(kind="manual", max_attempts=3, backoff_base_seconds=2), max_attempts=3)
    (won,) = claim([Published(key, 0)], worker=WORKER).values()
    run = get_run(key)
    assert (run.status, run.token, run.locked_by, run.attempts, run.started_at) == ("running", 1, WORKER, 0, None)
    assert run.locked_until is not None
    assert timedelta(seconds=28) < run.locked_until - database_now() <= timedelta(seconds=30)
    assert run.dispatched_at is not None
    assert (won.token, won.attempt.number, won.attempt.max_attempts, won.attempt.policy.base) == (1, 1, 3, 2.0)


def test_a_run_is_won_once() -> None:
    key = make_run()
    assert ask(key) is Answer.CLAIMED
    assert ask(key) is Answer.RUNNING
    assert get_run(key).token == 1


def test_a_run_named_twice_in_a_batch_is_won_once_and_by_the_newer_token() -> None:
    key = make_run(token=4)
    answers = claim([Published(key, 3), Published(key, 4), Published(key, 4)], worker=WORKER)
    assert [item.answer for item in answers.values()] == [Answer.CLAIMED]
    assert get_run(key).token == 5


@pytest.mark.parametrize("status", ["succeeded", "dead", "skipped", "missed", "cancelled"])
def test_an_ended_run_is_not_won(status: str) -> None:
    assert ask(make_run(status=status)) is Answer.ENDED


def test_an_expired_lease_is_the_reaper_s_to_end() -> None:
    key = make_run(status="running", locked_by=OTHER)
    set_run(key, "locked_until = clock_timestamp() - interval '1 h'")
    assert ask(key, 1) is Answer.RUNNING
    assert get_run(key).locked_by == OTHER


@pytest.mark.parametrize("token", [0, 2])
def test_another_token_s_message_wins_nothing(token: int) -> None:
    key = make_run(token=1)
    assert ask(key, token) is Answer.STALE
    assert get_run(key).status == "queued"


def test_a_run_that_is_gone_has_no_answer() -> None:
    assert ask(RunKey(1, database_now())) is None


def test_a_run_that_is_not_yet_due_is_dispatched_again_at_its_time() -> None:
    key = make_run(dispatched_at=database_now())
    set_run(key, "run_after = clock_timestamp() + interval '10 min'")
    before = get_run(key)
    assert ask(key) is Answer.EARLY
    after = get_run(key)
    assert (after.status, after.token, after.dispatched_at, after.run_after) == ("queued", 1, None, before.run_after)
    assert ask(key, now=before.run_after) is Answer.STALE, "the next message carries the next token"
    assert ask(key, token=1, now=before.run_after) is Answer.CLAIMED


def test_a_run_that_is_almost_due_waits_a_second() -> None:
    key, now = make_run(dispatched_at=database_now()), database_now()
    set_run(key, "run_after = %s", now + timedelta(milliseconds=1))
    assert ask(key, now=now) is Answer.EARLY
    assert get_run(key).run_after == now + timedelta(seconds=1)


def test_a_run_past_its_start_deadline_is_missed() -> None:
    key, now = make_run(), database_now()
    set_run(key, "start_by = %s", now)
    assert ask(key, now=now + timedelta(microseconds=1)) is Answer.MISSED
    run = get_run(key)
    assert (run.status, run.token, run.locked_by) == ("missed", 0, None)
    assert run.finished_at is not None
    assert run.last_error


def test_the_last_instant_of_a_start_deadline_counts() -> None:
    key, now = make_run(), database_now()
    set_run(key, "start_by = %s", now)
    assert ask(key, now=now) is Answer.CLAIMED


def test_the_claim_counts_the_attempt_where_a_lost_one_must_not_go_uncounted() -> None:
    plain = make_run(attempts=2)
    once = make_run(make_job(kind="manual", delivery="at_most_once"))
    lossy = make_run(losses=1, attempts=2)
    answers = claim([Published(key, 0) for key in (plain, once, lossy)], worker=WORKER)
    assert [get_run(key).attempts for key in (plain, once, lossy)] == [2, 1, 3]
    assert [answers[Published(key, 0)].attempt.number for key in (plain, once, lossy)] == [3, 1, 3]


class TestReplace:
    """A run that replaces another starts when that one has ended, or its lease is over."""

    @pytest.fixture
    def old(self) -> RunKey:
        return make_run(make_job(kind="manual", concurrency_policy="replace"), status="running", exclusive=True)

    @pytest.fixture
    def new(self, old: RunKey) -> RunKey:
        job = Job.objects.get(pk=old.job_id)
        return make_run(job, replaces=old.scheduled_for, exclusive=True, dispatched_at=database_now())

    def test_it_waits_while_the_old_one_runs(self, new: RunKey) -> None:
        now = database_now()
        assert ask(new, now=now) is Answer.WAITING
        run = get_run(new)
        assert (run.status, run.token, run.dispatched_at) == ("queued", 1, None)
        assert run.run_after == now + timedelta(seconds=1)

    def test_it_starts_when_the_old_one_has_ended(self, old: RunKey, new: RunKey) -> None:
        set_run(old, "status = 'cancelled', locked_by = NULL, locked_until = NULL, finished_at = clock_timestamp()")
        assert ask(new) is Answer.CLAIMED

    def test_it_starts_when_the_old_lease_is_over(self, old: RunKey, new: RunKey) -> None:
        assert ask(new, now=database_now() + timedelta(minutes=2)) is Answer.CLAIMED


@pytest.mark.usefixtures("committed")
def test_a_claim_waits_for_a_dispatcher_s_uncommitted_mark() -> None:
    """I3: a row that is skipped would read as denied, and its message be lost."""
    key = make_run()
    with Elsewhere() as there:
        there.do(sql, "BEGIN")
        there.do(
            sql,
            "UPDATE jobs_jobrun SET dispatched_at = clock_timestamp() WHERE job_id = %s AND scheduled_for = %s",
            key.job_id,
            key.scheduled_for,
        )
        with Elsewhere() as worker:
            claiming = worker.begin(ask, key)
            there.do(sql, "COMMIT")
            assert claiming.result(timeout=10) is Answer.CLAIMED
    hang_up()


def test_an_unknown_task_s_run_is_put_off_only_by_its_own_message() -> None:
    key, stale, running = make_run(dispatched_at=database_now()), make_run(token=1), make_run(status="running")
    now = database_now()
    postpone_unknown([(Published(each, 0), "no.task") for each in (key, stale, running)], now=now)
    run = get_run(key)
    assert (run.status, run.attempts, run.dispatched_at) == ("queued", 0, None)
    assert run.run_after == now + timedelta(seconds=15)
    assert get_run(stale).run_after < now
    assert get_run(running).status == "running"
    postpone_unknown([(Published(key, 1), "no.task")], now=now + timedelta(minutes=16))
    assert get_run(key).status == "dead"
