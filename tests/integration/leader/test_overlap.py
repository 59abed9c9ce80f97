"""forbid and replace at emission."""

from __future__ import annotations

import uuid

import pytest

from jobs.domain.states import Trigger
from jobs.models import Job, JobRun
from jobs.store.runs import NewRun, insert_runs
from jobs.store.terms import Term
from tests.support.leading import cursor_of, edit, edit_by_sql, emit, job_at, slots
from tests.support.times import HOUR, MINUTE, NOON, SECOND


def start(job: Job, **fields: object) -> None:
    """Put the job's queued runs into a worker's hands."""
    JobRun.objects.filter(job=job, status="queued").update(
        status="running", locked_by=uuid.uuid4(), locked_until=NOON + HOUR, token=1, **fields
    )


def finish(job: Job) -> None:
    JobRun.objects.filter(job=job, status="running").update(
        status="succeeded", locked_by=None, locked_until=None, finished_at=NOON
    )


@pytest.mark.parametrize("is_running", [False, True])
def test_forbid_skips_a_slot_while_a_run_is_queued_or_running_and_says_which(term: Term, *, is_running: bool) -> None:
    job = job_at(NOON, concurrency_policy="forbid")
    emit(term, NOON + MINUTE)
    if is_running:
        start(job)
    emit(term, NOON + 2 * MINUTE)
    skipped = JobRun.objects.get(job=job, status="skipped")
    first = JobRun.objects.exclude(status="skipped").get(job=job)
    assert skipped.scheduled_for == NOON + 2 * MINUTE
    assert str(first.key) in skipped.last_error
    assert skipped.finished_at is not None
    assert cursor_of(job).last_slot == NOON + 2 * MINUTE


def test_forbid_runs_again_once_the_run_has_ended(term: Term) -> None:
    job = job_at(NOON, concurrency_policy="forbid")
    emit(term, NOON + MINUTE)
    start(job)
    finish(job)
    emit(term, NOON + 2 * MINUTE)
    assert slots(job) == [NOON + 2 * MINUTE]


def test_b056_of_several_slots_at_once_forbid_queues_the_oldest(term: Term) -> None:
    job = job_at(NOON, concurrency_policy="forbid", catch_up="all")
    emit(term, NOON + 3 * MINUTE + 30 * SECOND)
    assert slots(job) == [NOON + MINUTE]
    assert slots(job, "skipped") == [NOON + 2 * MINUTE, NOON + 3 * MINUTE]


def test_replace_ends_a_queued_run_at_once(term: Term) -> None:
    job = job_at(NOON, concurrency_policy="replace")
    emit(term, NOON + MINUTE)
    emit(term, NOON + 2 * MINUTE)
    assert slots(job, "cancelled") == [NOON + MINUTE]
    assert slots(job) == [NOON + 2 * MINUTE]
    assert JobRun.objects.get(job=job, status="queued").replaces is None


def test_replace_asks_a_running_run_to_cancel_and_waits_for_it(term: Term) -> None:
    job = job_at(NOON, concurrency_policy="replace")
    emit(term, NOON + MINUTE)
    start(job)
    emit(term, NOON + 2 * MINUTE)
    old, new = JobRun.objects.filter(job=job).order_by("scheduled_for")
    assert (old.status, old.cancel_requested_at is not None) == ("running", True)
    assert (new.status, new.replaces, new.exclusive) == ("queued", old.scheduled_for, True)
    emit(term, NOON + 3 * MINUTE)
    newest = JobRun.objects.get(job=job, status="queued")
    assert (newest.scheduled_for, newest.replaces) == (NOON + 3 * MINUTE, old.scheduled_for)
    assert slots(job, "cancelled") == [NOON + 2 * MINUTE]


def test_of_several_slots_at_once_replace_queues_the_newest(term: Term) -> None:
    job = job_at(NOON, concurrency_policy="replace", catch_up="all")
    emit(term, NOON + 3 * MINUTE + 30 * SECOND)
    assert slots(job, "cancelled") == [NOON + MINUTE, NOON + 2 * MINUTE]
    assert slots(job) == [NOON + 3 * MINUTE]


@pytest.mark.parametrize("policy", ["forbid", "replace"])
def test_a_backfill_that_holds_the_slot_itself_is_left_alone(term: Term, policy: str) -> None:
    job = job_at(NOON, concurrency_policy=policy)
    insert_runs([NewRun(job.pk, NOON + MINUTE, NOON, "jobs.default", trigger=Trigger.BACKFILL, exclusive=True)])
    emit(term, NOON + MINUTE)
    run = JobRun.objects.get(job=job)
    assert (run.status, run.trigger) == ("queued", "backfill")


@pytest.mark.parametrize("policy", ["forbid", "replace"])
def test_runs_from_before_the_policy_count_when_it_changes(term: Term, policy: str) -> None:
    job = job_at(NOON)
    emit(term, NOON + MINUTE)
    start(job)
    edit(job, NOON + MINUTE + SECOND, concurrency_policy=policy)
    emit(term, NOON + 2 * MINUTE)
    old, new = JobRun.objects.filter(job=job).order_by("scheduled_for")
    assert old.exclusive
    assert new.status == "skipped" if policy == "forbid" else new.replaces == old.scheduled_for


def test_runs_that_need_not_exclude_each_other_any_more_leave_the_index_of_those_that_do(term: Term) -> None:
    job, other = job_at(NOON, concurrency_policy="forbid"), job_at(NOON, concurrency_policy="forbid")
    emit(term, NOON + MINUTE)
    start(job)
    finish(job)
    emit(term, NOON + 2 * MINUTE)
    edit_by_sql(job, NOON + 2 * MINUTE, "concurrency_policy = 'allow'")
    marks = JobRun.objects.filter(job=job).order_by("scheduled_for").values_list("status", "exclusive")
    assert list(marks) == [("succeeded", True), ("queued", False)]
    assert JobRun.objects.get(job=other, status="queued").exclusive


def test_one_batch_holds_jobs_of_all_policies(term: Term) -> None:
    jobs = {policy: job_at(NOON, concurrency_policy=policy) for policy in ("allow", "forbid", "replace")}
    emit(term, NOON + MINUTE)
    emit(term, NOON + 2 * MINUTE)
    assert {policy: len(slots(job)) for policy, job in jobs.items()} == {"allow": 2, "forbid": 1, "replace": 1}
