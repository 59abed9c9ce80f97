"""Cancel, replay, archive: each a guarded change of rows."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.db import transaction

from jobs.domain.messages import RunKey
from jobs.domain.states import ACTIVE, TERMINAL, RunStatus
from jobs.errors import ConflictError, NotFoundError
from jobs.models import Job, JobCursor, JobRun
from jobs.services.archive import archive
from jobs.services.cancel import cancel
from jobs.services.replay import replay
from jobs.services.run import run_job
from jobs.store.clock import database_now
from tests.support.elsewhere import Elsewhere, sql
from tests.support.factories import make_job
from tests.support.job_history import get_run, make_run
from tests.support.waiting import wait_until

pytestmark = pytest.mark.django_db


def test_a_queued_run_is_cancelled_at_once() -> None:
    run = make_run(make_job())
    assert cancel(run.key) is RunStatus.CANCELLED
    run = get_run(run.key)
    assert (run.status, run.last_error) == (RunStatus.CANCELLED, "Cancelled before it started.")
    assert run.finished_at is not None


def test_b118_a_run_that_waits_for_a_retry_is_cancelled_at_once() -> None:
    """B118 (c)."""
    run = make_run(make_job(), run_after=database_now() + timedelta(hours=1), attempts=2)
    assert cancel(run.key) is RunStatus.CANCELLED


def test_a_running_run_is_asked_to_end_and_the_first_asking_counts() -> None:
    run = make_run(make_job(), RunStatus.RUNNING)
    assert cancel(run.key) is RunStatus.RUNNING
    asked_at = get_run(run.key).cancel_requested_at
    assert cancel(run.key) is RunStatus.RUNNING
    assert get_run(run.key).cancel_requested_at == asked_at is not None
    assert get_run(run.key).finished_at is None


@pytest.mark.parametrize("status", sorted(TERMINAL))
def test_a_finished_run_cannot_be_cancelled_and_its_state_is_named(status: RunStatus) -> None:
    run = make_run(make_job(), status)
    with pytest.raises(ConflictError, match=f"Run {run.key} is {status} already"):
        cancel(run.key)


def test_an_unknown_run_is_not_found() -> None:
    key = RunKey(4711, database_now())
    for act in (cancel, replay):
        with pytest.raises(NotFoundError, match=f"There is no run {key}"):
            act(key)


def test_a_replayed_run_keeps_its_key_and_history_and_gets_new_attempts() -> None:
    run = make_run(
        make_job(max_attempts=3),
        RunStatus.DEAD,
        attempts=5,
        max_attempts=5,
        token=5,
        start_by=database_now(),
        dispatched_at=database_now(),
        cancel_requested_at=database_now(),
        errors=[{"kind": "failed", "attempt": 5}],
        last_error="boom",
    )
    replay(run.key)
    run = get_run(run.key)
    assert (run.status, run.token, run.attempts, run.max_attempts) == (RunStatus.QUEUED, 6, 5, 8)
    assert (run.start_by, run.dispatched_at, run.cancel_requested_at, run.finished_at) == (None,) * 4
    assert [entry["kind"] for entry in run.errors] == ["failed", "replayed"]
    assert run.run_after <= database_now()


@pytest.mark.parametrize("status", sorted((TERMINAL | ACTIVE) - {RunStatus.DEAD}))
def test_only_a_dead_run_can_be_replayed(status: RunStatus) -> None:
    run = make_run(make_job(), status)
    with pytest.raises(ConflictError, match=f"is {status}; only a dead run can be replayed"):
        replay(run.key)


@pytest.mark.parametrize("policy", ["forbid", "replace"])
def test_a_replay_beside_an_active_run_of_an_exclusive_job_is_refused(policy: str) -> None:
    job = make_job(concurrency_policy=policy)
    dead, active = make_run(job, RunStatus.DEAD), make_run(job, RunStatus.RUNNING)
    with pytest.raises(ConflictError, match=f"run {active.key} is running. Wait for it or cancel it"):
        replay(dead.key)
    assert get_run(dead.key).status == RunStatus.DEAD


def test_a_replayed_run_is_exclusive_by_the_policy_of_today() -> None:
    job = make_job()
    dead = make_run(job, RunStatus.DEAD)
    job.concurrency_policy = "forbid"
    job.save()
    replay(dead.key)
    assert get_run(dead.key).exclusive


def test_archiving_cancels_queued_runs_and_leaves_the_others() -> None:
    job, other = make_job(), make_job()
    runs = {status: make_run(job, status) for status in RunStatus}
    of_another = make_run(other)
    assert archive(job) == 1
    assert job.archived_at is not None
    assert get_run(runs[RunStatus.QUEUED].key).status == RunStatus.CANCELLED
    assert all(get_run(run.key).status == status for status, run in runs.items() if status != RunStatus.QUEUED)
    assert get_run(of_another.key).status == RunStatus.QUEUED
    assert JobCursor.objects.get(pk=job.pk).plan_needed


def test_archiving_twice_is_refused_and_the_name_is_free_again() -> None:
    job = make_job(name="once-only")
    archive(job)
    with pytest.raises(ConflictError, match='Job "once-only" is archived already'):
        archive(job)
    make_job(name="once-only")


def test_a_run_of_an_archived_job_is_not_replayed() -> None:
    job = make_job()
    dead = make_run(job, RunStatus.DEAD)
    archive(job)
    with pytest.raises(ConflictError, match="is dead, but its job is archived"):
        replay(dead.key)


@pytest.mark.django_db(transaction=True)
def test_a_run_that_is_claimed_while_it_is_being_cancelled_is_asked_to_end() -> None:
    """I4: the cancel decides on what the row is when it gets it, not on what it was when it asked."""
    run = make_run(make_job())
    lease = {"token": 1, "locked_by": uuid.uuid4(), "locked_until": database_now() + timedelta(seconds=30)}
    with Elsewhere() as there:
        with transaction.atomic():
            JobRun.objects.filter(pk=run.pk).update(status="running", **lease)
            asked = there.begin(cancel, run.key)
            wait_until(somebody_waits, what="the cancel to wait for the claim")
        assert asked.result(10) is RunStatus.RUNNING
    assert get_run(run.key).cancel_requested_at is not None


@pytest.mark.django_db(transaction=True)
def test_a_run_asked_for_while_its_job_is_archived_is_cancelled() -> None:
    job = make_job()
    with Elsewhere() as there:
        with transaction.atomic():
            key = run_job(job)
            archived = there.begin(archive, Job.objects.get(pk=job.pk))
            wait_until(somebody_waits, what="the archiving to wait for the run")
        assert archived.result(10) == 1
    assert get_run(key).status == RunStatus.CANCELLED


def somebody_waits() -> bool:
    """Whether a session of this server waits for a lock."""
    return bool(sql("SELECT 1 FROM pg_locks WHERE NOT granted"))
