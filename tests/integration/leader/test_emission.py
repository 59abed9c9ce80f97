"""Emission: due slots become runs and gaps, and the cursor moves on, in one transaction."""

from __future__ import annotations

import zlib
from datetime import timedelta

import pytest
from django.db import DatabaseError, IntegrityError, transaction
from pytest_django import Settings

from jobs.conf import config
from jobs.models import JobCursor, JobRun
from jobs.services.emit import emit_due, report_locked
from jobs.services.ensure_partitions import ensure_partitions
from jobs.store import state
from jobs.store.runs import NewRun, insert_runs
from jobs.store.terms import Term
from tests.support.leading import cursor_of, emit, gaps, job_at, plan, slots
from tests.support.times import DAY, HOUR, MINUTE, NOON, SECOND


def test_a_due_slot_becomes_a_queued_run_with_what_its_job_says(term: Term) -> None:
    job = job_at(NOON, queue="jobs.fast", priority=7, max_attempts=3, starting_deadline_seconds=90, spread_seconds=600)
    emit(term, NOON + MINUTE)
    run = JobRun.objects.get(job=job)
    spread = timedelta(seconds=zlib.crc32(str(job.pk).encode()) % 600)
    assert run.scheduled_for == NOON + MINUTE
    assert run.run_after == run.due_at == NOON + MINUTE + spread
    assert run.start_by == run.due_at + timedelta(seconds=90)
    assert (run.status, run.trigger, run.queue, run.priority) == ("queued", "schedule", "jobs.fast", 7)
    assert (run.max_attempts, run.attempts, run.token, run.dispatched_at, run.exclusive) == (3, 0, 0, None, False)


def test_a_job_without_a_queue_goes_to_the_default(term: Term) -> None:
    job = job_at(NOON)
    emit(term, NOON + MINUTE)
    assert JobRun.objects.get(job=job).queue == "jobs.default"


def test_each_slot_becomes_one_run_however_often_it_is_looked_at(term: Term) -> None:
    """I2."""
    job = job_at(NOON)
    for _ in range(3):
        emit(term, NOON + MINUTE)
        # A stale writer sets the cursor's time back: slots are counted from last_slot, so it finds nothing.
        JobCursor.objects.filter(job=job).update(next_run_at=NOON)
    assert slots(job) == [NOON + MINUTE]
    emit(term, NOON + MINUTE)
    assert cursor_of(job).next_run_at == NOON + 2 * MINUTE


def test_b088_a_clock_that_steps_back_repeats_no_slot(term: Term) -> None:
    """I2."""
    job = job_at(NOON)
    emit(term, NOON + 2 * MINUTE)
    emit(term, NOON + MINUTE)
    emit(term, NOON + 3 * MINUTE)
    assert slots(job) == [NOON + n * MINUTE for n in (1, 2, 3)]


def test_b066_a_slot_does_not_come_again_when_its_row_is_gone(term: Term) -> None:
    """I2: last_slot guards what the run's key no longer can."""
    job = job_at(NOON)
    emit(term, NOON + MINUTE)
    JobRun.objects.filter(job=job).delete()
    JobCursor.objects.filter(job=job).update(next_run_at=NOON, plan_needed=True)
    emit(term, NOON + MINUTE)
    assert slots(job) == []


def test_a_slot_that_has_a_run_already_is_left_alone(term: Term) -> None:
    job = job_at(NOON)
    insert_runs([NewRun(job.pk, NOON + MINUTE, NOON, "jobs.fast")])
    emit(term, NOON + MINUTE)
    assert JobRun.objects.get(job=job).queue == "jobs.fast"
    assert cursor_of(job).last_slot == NOON + MINUTE


@pytest.mark.parametrize(
    ("catch_up", "ran", "gap"),
    [
        ("latest", [60], [("catch_up", 59)]),
        ("all", [1, 2, 3], [("catch_up", 57)]),
        ("skip", [60], [("catch_up", 59)]),
    ],
)
def test_after_an_outage_the_policy_says_what_still_runs(
    term: Term, catch_up: str, ran: list[int], gap: list[tuple[str, int]]
) -> None:
    job = job_at(NOON, catch_up=catch_up, catch_up_limit=3)
    emit(term, NOON + HOUR + 30 * SECOND)
    assert slots(job) == [NOON + n * MINUTE for n in ran]
    assert gaps(job) == gap
    assert cursor_of(job).last_slot == NOON + HOUR


def test_a_slot_past_its_deadline_is_part_of_a_gap(term: Term) -> None:
    job = job_at(NOON, starting_deadline_seconds=120, catch_up="all")
    emit(term, NOON + 10 * MINUTE + 30 * SECOND)
    assert slots(job) == [NOON + 9 * MINUTE, NOON + 10 * MINUTE]
    assert gaps(job) == [("deadline", 8)]


def test_forty_days_off_are_accounted_for_and_no_slot_lies_outside_the_partitions(term: Term) -> None:
    """I1."""
    daily = job_at(NOON - 40 * DAY, cron="0 6 * * *", catch_up="all", catch_up_limit=1000)
    minutely = job_at(NOON - 40 * DAY, catch_up="all", catch_up_limit=5)
    secondly = job_at(NOON - 40 * DAY, kind="interval", interval_seconds=1, anchor_at=NOON - 90 * DAY)
    emit(term, NOON)
    assert slots(daily) == [(NOON - n * DAY).replace(hour=6) for n in range(30, -1, -1)]
    assert gaps(daily) == [("beyond_retention", 9)]
    assert len(slots(minutely)) == 5 + 1
    assert [reason for reason, _ in gaps(minutely)] == ["beyond_retention", "catch_up"]
    assert len(slots(secondly)) == 1 + 6
    assert [reason for reason, _ in gaps(secondly)] == ["beyond_retention", "catch_up"]


def test_a_shorter_retention_moves_the_floor(term: Term, settings: Settings) -> None:
    settings.BEATKEEPER = {"RETENTION_DAYS": 7}
    config.cache_clear()
    job = job_at(NOON - 40 * DAY, cron="0 6 * * *", catch_up="all")
    emit(term, NOON)
    assert slots(job) == [(NOON - n * DAY).replace(hour=6) for n in range(7, -1, -1)]
    assert gaps(job) == [("beyond_retention", 32)]


def test_what_was_pruned_once_stays_beyond_retention(term: Term) -> None:
    state.put(state.PRUNED_BEFORE, (NOON - 3 * DAY).replace(hour=0).isoformat())
    job = job_at(NOON - 10 * DAY, cron="0 6 * * *", catch_up="all")
    emit(term, NOON)
    assert slots(job)[0] == (NOON - 3 * DAY).replace(hour=6)
    assert gaps(job)[0] == ("beyond_retention", 6)


def test_a_missing_partition_fails_the_batch_and_loses_nothing(term: Term) -> None:
    job = job_at(NOON + 60 * DAY)
    plan(term)
    with pytest.raises(DatabaseError, match="partition"), transaction.atomic():
        emit_due(term, now=NOON + 60 * DAY + MINUTE)
    assert cursor_of(job).last_slot is None
    ensure_partitions(NOON + 60 * DAY)
    emit(term, NOON + 60 * DAY + MINUTE)
    assert len(slots(job)) == 1


def test_a_batch_ends_when_it_holds_many_runs(term: Term, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jobs.services.emit.MOST_RUNS", 10)
    jobs = [job_at(NOON, catch_up="all") for _ in range(5)]
    plan(term)
    sizes = []
    while (done := emit_due(term, now=NOON + 4 * MINUTE)).cursors:
        sizes.append((done.cursors, done.runs))
    assert sizes == [(3, 12), (2, 8)]
    assert all(len(slots(job)) == 4 for job in jobs)


def test_a_backlog_under_skip_is_worked_off_in_rounds(term: Term, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jobs.domain.catch_up.MOST_SLOTS", 10)
    job = job_at(NOON, catch_up="skip", starting_deadline_seconds=86_400)
    emit(term, NOON + 25 * MINUTE + 30 * SECOND)
    assert slots(job) == [NOON + n * MINUTE for n in range(1, 26)]
    assert gaps(job) == []


@pytest.mark.parametrize("priority", [-1, 10])
def test_the_table_takes_no_priority_that_nobody_would_dispatch(term: Term, priority: int) -> None:
    with pytest.raises(IntegrityError, match="jobrun_priority_range"), transaction.atomic():
        insert_runs([NewRun(job_at(NOON).pk, NOON, NOON, "jobs.default", priority=priority)])


def test_jobs_that_are_due_for_long_are_named_in_the_log(term: Term, caplog: pytest.LogCaptureFixture) -> None:
    job = job_at(NOON)
    plan(term)
    assert report_locked(term, now=NOON + MINUTE + 10 * SECOND) == 0
    assert report_locked(term, now=NOON + MINUTE + 11 * SECOND) == 1
    assert f"job.locked job={job.name}" in caplog.text
