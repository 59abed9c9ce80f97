"""One run a slot, one winner a run: against racing sessions, late writers and pruning."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from pytest_django import Settings

from jobs.beat.dispatcher import Dispatcher
from jobs.conf import config
from jobs.domain.messages import RunKey
from jobs.domain.outcomes import Verdict
from jobs.domain.states import RunStatus
from jobs.models import JobCursor, JobRun
from jobs.services.claim import claim
from jobs.services.dispatch import publish_after_commit
from jobs.services.heartbeat import heartbeat
from jobs.services.prune import prune_partitions
from jobs.services.reap import reap_expired
from jobs.services.settle import settle
from jobs.store import partitions
from jobs.store.clock import database_now
from jobs.store.leases import Answer, Beat, Lease, Published, Settlement
from jobs.store.runs import NewRun, ensure_days, insert_runs
from jobs.store.terms import Term
from tests.integration.broker.conftest import Broker, change
from tests.support.elsewhere import Elsewhere
from tests.support.factories import make_job
from tests.support.leading import emit, job_at, slots
from tests.support.runs import OTHER, WORKER, get_run, make_run
from tests.support.times import DAY, MINUTE, SECOND

ROUNDS, PAIRS = 100, 50
LONG_AGO = datetime(2019, 5, 6, 12, 0, tzinfo=UTC)


@pytest.fixture
def two(committed: None) -> Iterator[list[Elsewhere]]:
    with Elsewhere() as one, Elsewhere() as other:
        yield [one, other]


def ask(key: RunKey, worker: Any, token: int = 0) -> Answer | None:
    answers = claim([Published(key, token)], worker=worker)
    return answers[Published(key, token)].answer if answers else None


def test_b052_a_run_sent_again_because_its_mark_was_lost_is_won_by_one_message(
    dispatcher: Dispatcher, broker: Broker, make_runs: Any
) -> None:
    (key,) = make_runs()
    assert dispatcher.tick() == 1
    change(key, dispatched_at=None)  # killed between the broker's confirm and the mark
    assert dispatcher.tick() == 1
    sent = broker.runs()
    assert sent == [{"key": str(key), "token": 0}] * 2
    assert [ask(key, worker) for worker in (WORKER, OTHER)] == [Answer.CLAIMED, Answer.RUNNING]


def test_b064_of_two_that_claim_a_run_at_once_one_gets_it_and_one_attempt_counts(two: list[Elsewhere]) -> None:
    job = make_job(kind="manual", delivery="at_most_once")
    keys = [make_run(job) for _ in range(ROUNDS)]
    barrier = threading.Barrier(2)

    def race(worker: Any) -> list[bool]:
        won = []
        for key in keys:
            barrier.wait(20)
            won.append(ask(key, worker) is Answer.CLAIMED)
        return won

    first, second = [there.begin(race, worker) for there, worker in zip(two, (WORKER, OTHER), strict=True)]
    assert all(one != other for one, other in zip(first.result(60), second.result(60), strict=True))
    assert set(JobRun.objects.values_list("status", "token", "attempts")) == {("running", 1, 1)}


def test_b065_a_slot_emitted_twice_at_once_is_one_row_and_one_message(two: list[Elsewhere], broker: Broker) -> None:
    job, start = make_job(kind="manual"), database_now().replace(microsecond=0) - MINUTE
    runs = [NewRun(job.pk, start + n * SECOND, start, broker.queue) for n in range(PAIRS)]
    ensure_days([start, start + PAIRS * SECOND])
    barrier = threading.Barrier(2)

    def emission() -> int:
        made = []
        for run in runs:
            barrier.wait(20)
            made += insert_runs([run])
        publish_after_commit(made)
        return len(made)

    made = [work.result(60) for work in [there.begin(emission) for there in two]]
    assert sum(made) == JobRun.objects.count() == PAIRS
    assert sorted(header["key"] for header in broker.runs()) == sorted(
        str(RunKey(run.job_id, run.scheduled_for)) for run in runs
    )


@pytest.fixture
def _long_ago(committed: None, settings: Settings) -> Iterator[None]:
    settings.BEATKEEPER = {"RETENTION_DAYS": 1}
    config.cache_clear()
    partitions.ensure(LONG_AGO.date() - DAY, LONG_AGO.date() + 15 * DAY, wide=True)
    yield
    prune_partitions(LONG_AGO + 60 * DAY)


@pytest.mark.usefixtures("_long_ago")
def test_b066_a_slot_that_was_pruned_does_not_come_again_for_a_slow_leader(term: Term) -> None:
    job = job_at(LONG_AGO - MINUTE, cron="0 * * * *")
    emit(term, LONG_AGO)
    JobRun.objects.update(status="succeeded", finished_at=LONG_AGO)
    assert "jobs_jobrun_p201905" in prune_partitions(LONG_AGO + 60 * DAY)
    JobCursor.objects.update(next_run_at=LONG_AGO, plan_needed=True)
    emit(term, LONG_AGO + SECOND)
    assert slots(job) == slots(job, "succeeded") == []


def test_b074_a_worker_that_was_taken_for_dead_writes_nothing_over_the_new_owners_outcome(term: Term) -> None:
    key = make_run(max_attempts=3)
    assert ask(key, WORKER) is Answer.CLAIMED
    frozen = Lease(key, 1, WORKER)
    assert reap_expired(now=database_now() + MINUTE) == 1
    change(key, run_after=database_now() - SECOND)
    assert ask(key, OTHER, get_run(key).token) is Answer.CLAIMED
    late = Settlement(frozen, Verdict(RunStatus.SUCCEEDED), 1, 1.0, '"late"')
    assert settle([late], worker=WORKER) == {}
    assert heartbeat([Beat(frozen)], worker=WORKER) == {}
    fresh = Settlement(Lease(key, get_run(key).token, OTHER), Verdict(RunStatus.SUCCEEDED), 2, 1.0, '"new"')
    assert settle([fresh], worker=OTHER) == {key: RunStatus.SUCCEEDED}
    assert settle([late], worker=WORKER) == {}
    run = get_run(key)
    assert (run.status, run.result, run.attempts, run.losses) == ("succeeded", "new", 2, 1)
