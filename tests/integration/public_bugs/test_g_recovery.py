"""Rows in any state that a fault can leave: one pass of recovery, and each goes on."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from itertools import product
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from jobs.beat.housekeeper import Housekeeper
from jobs.domain.states import TERMINAL, RunStatus
from jobs.models import JobCursor, JobRun, Marker
from jobs.services import mark
from jobs.services.claim import claim
from jobs.services.mend_cursors import mend_cursors
from jobs.services.reap import reap_expired, sweep_missed
from jobs.store.clock import database_now
from jobs.store.leases import Published
from jobs.store.micros import key_of
from jobs.store.terms import Term
from jobs.store.unsent import Horizon, unsent_runs
from tests.support.elsewhere import sql
from tests.support.factories import make_job
from tests.support.leading import cursor_of, emit, job_at, plan, slots
from tests.support.runs import WORKER
from tests.support.times import HOUR, MINUTE, NOON, SECOND

QUEUE = "jobs.default"
LEASE = timedelta(seconds=30)
OWNERS = [None, uuid.UUID(int=7)]
LEASES = [None, -HOUR, 10 * SECOND, HOUR]  # none, long over, held, of a clock that was ahead
DUE = [-MINUTE, HOUR]
SENT = [None, -HOUR]
CANCELS = [None, -MINUTE]
COLUMNS = ("status", "locked_by", "locked_until", "run_after", "dispatched_at", "cancel_requested_at")


def test_b113_runs_in_every_state_that_the_table_takes_go_on_after_one_pass(
    db: None, caplog: pytest.LogCaptureFixture
) -> None:
    now, job = database_now(), make_job(kind="manual")
    before = {}
    for number, state in enumerate(product(RunStatus, OWNERS, LEASES, DUE, SENT, CANCELS)):
        slot = now - HOUR + number * SECOND / 1000
        if put(job.pk, slot, now, state):
            before[slot] = dict(zip(COLUMNS, state, strict=True))
    assert len(before) == 5 * 2 * 2 * 2 + 3 * 2 * 2 * 2 + 2 * 2  # ended, running with a lease, queued

    recover(now)
    after = {run.scheduled_for: run for run in JobRun.objects.all()}
    assert [slot for slot, run in after.items() if not goes_on(run, database_now())] == []
    lost = {slot for slot, was in before.items() if was["locked_until"] in (-HOUR, HOUR)}
    assert caplog.text.count("run.lease_expired") == len(lost)
    for slot, was in before.items():
        if slot not in lost:
            assert after[slot].status == was["status"]


def put(job_id: int, slot: datetime, now: datetime, state: tuple[Any, ...]) -> bool:
    """Insert a run in this state; False where the table refuses it."""
    status, owner, *spans = state
    lease, due, sent, cancel = (None if span is None else now + span for span in spans)
    ended = now if status in TERMINAL else None
    try:
        with transaction.atomic():
            sql(
                "INSERT INTO jobs_jobrun (job_id, scheduled_for, due_at, queue, token, finished_at,"
                f" {', '.join(COLUMNS)}) VALUES (%s, %s, %s, %s, 1, %s, %s, %s, %s, %s, %s, %s)",
                *(job_id, slot, now, QUEUE, ended, status, owner, lease, due, sent, cancel),
            )
    except IntegrityError:
        return False
    return True


def recover(now: datetime) -> None:
    """One pass of the leader's reaper, of the sweep for missed runs, and of what a returned marker sets off."""
    reap_expired(everywhere=True)
    sweep_missed(everywhere=True)
    mark.record_sent(QUEUE)
    mark.record_returned(QUEUE, Marker.objects.get(queue=QUEUE).sent_at)
    mark.clear_lost(Horizon.whole(now))


def goes_on(run: JobRun, now: datetime) -> bool:
    """It has ended, or a worker holds it for one lease at most, or it is sent when it is due, and can be won."""
    if run.status in TERMINAL:
        return True
    if run.status == RunStatus.RUNNING:
        return run.locked_until is not None and now - MINUTE < run.locked_until < now + 2 * LEASE
    at = max(run.run_after, now)
    sent = unsent_runs(QUEUE, limit=1000, horizon=Horizon.whole(at), now=at)
    return run.key in map(key_of, sent) and bool(claim([Published(run.key, run.token)], worker=WORKER, now=at))


CURSORS = list(product([None, NOON - 40 * MINUTE, NOON, NOON + HOUR], [True, False], [None, NOON - MINUTE]))


@pytest.mark.parametrize(("next_run_at", "plan_needed", "last_slot"), CURSORS)
def test_b113_a_cursor_in_any_state_lets_its_job_fire_at_the_next_tick(
    term: Term, next_run_at: datetime | None, plan_needed: bool, last_slot: datetime | None
) -> None:
    job = job_at(NOON - HOUR)
    plan(term)
    JobCursor.objects.filter(job=job).update(next_run_at=next_run_at, plan_needed=plan_needed, last_slot=last_slot)
    mend_cursors()
    is_told_to_wait = next_run_at == NOON + HOUR and not plan_needed
    tick = NOON + HOUR if is_told_to_wait else NOON + 2 * MINUTE
    emit(term, tick)
    assert slots(job)[-1] == tick
    assert cursor_of(job).next_run_at == tick + MINUTE


def test_b113_a_housekeeping_round_mends(committed: None) -> None:
    job = make_job()
    JobCursor.objects.all().delete()
    Housekeeper().tick()
    assert cursor_of(job).plan_needed


@pytest.mark.parametrize("has_run", [True, False])
def test_b113_a_lost_cursor_is_made_anew_and_takes_up_where_the_runs_end(
    term: Term, caplog: pytest.LogCaptureFixture, has_run: bool
) -> None:
    job = job_at(NOON - HOUR, catch_up="all")
    if has_run:
        emit(term, NOON)
    sql("UPDATE jobs_job SET created_at = %s", NOON - HOUR if has_run else NOON)
    JobCursor.objects.filter(job=job).delete()
    assert mend_cursors() == 1
    assert f"cursor.mended job={job.pk}" in caplog.text
    before = slots(job)
    emit(term, NOON + 2 * MINUTE)
    assert slots(job)[len(before) :] == [NOON + MINUTE, NOON + 2 * MINUTE]


def test_b110_of_the_slots_of_an_outage_of_workers_those_within_their_deadline_run(term: Term) -> None:
    job = job_at(NOON - MINUTE, starting_deadline_seconds=60)
    for minute in range(20):
        emit(term, NOON + minute * MINUTE)
    assert sweep_missed(now=NOON + 19 * MINUTE + 30 * SECOND) == 19
    assert slots(job) == [NOON + 19 * MINUTE]
    assert slots(job, RunStatus.MISSED) == [NOON + n * MINUTE for n in range(19)]
    ended = JobRun.objects.filter(job=job, status=RunStatus.MISSED)
    assert all(run.last_error and run.finished_at <= database_now() for run in ended)


@pytest.mark.parametrize("end_at", [NOON + MINUTE / 2, None], ids=["over", "with slots ahead"])
def test_b113_of_cursors_that_wait_for_nothing_those_with_slots_ahead_are_mended(
    term: Term, end_at: datetime | None
) -> None:
    """An ended job is no fault to be told of every ten minutes."""
    job = job_at(NOON - HOUR, end_at=end_at)
    plan(term)
    emit(term, NOON + 2 * MINUTE)
    if end_at is None:
        JobCursor.objects.filter(job=job).update(next_run_at=None)
    assert cursor_of(job).next_run_at is None
    assert mend_cursors() == (0 if end_at else 1)
    assert cursor_of(job).plan_needed is (end_at is None)
