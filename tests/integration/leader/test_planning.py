"""Planning: where a job's next slot lies, and what parks it."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, transaction

from jobs.errors import LeadershipLostError
from jobs.models import Job, JobCursor, Leader
from jobs.services.emit import emit_due
from jobs.services.plan import plan_waiting
from jobs.store.terms import Term
from tests.support.factories import make_job
from tests.support.leading import cursor_of, edit, edit_by_sql, emit, gaps, job_at, plan, set_clock, slots
from tests.support.times import HOUR, MINUTE, NOON, SECOND


def test_the_first_slot_is_sought_after_the_saving_not_after_the_planning(term: Term) -> None:
    job = job_at(NOON - HOUR, cron="30 * * * *")
    plan(term)
    assert cursor_of(job).next_run_at == NOON - HOUR / 2


def test_a_once_in_a_second_saved_while_no_leader_lives_runs_when_one_does(term: Term) -> None:
    job = job_at(NOON, kind="manual")
    edit_by_sql(job, NOON, f"kind = 'once', once_at = '{NOON + SECOND}'")
    emit(term, NOON + HOUR)
    assert slots(job) == [NOON + SECOND]
    assert cursor_of(job).next_run_at is None


def test_a_once_whose_time_has_passed_is_due_now_where_that_is_meant(term: Term) -> None:
    set_clock(NOON)
    late = Job(name="late", task="tests.noop", kind="once", once_at=NOON - HOUR)
    late.allow_past = True
    late.save()
    other = make_job()
    emit(term, NOON + SECOND)
    assert slots(late) == [NOON - HOUR]
    assert gaps(late) == []
    assert cursor_of(other).plan_from == NOON, "it is meant for that job alone"


@pytest.mark.parametrize(
    "fields",
    [
        {"enabled": False},
        {"paused": True},
        {"kind": "manual"},
        {"archived_at": NOON},
    ],
    ids=lambda fields: ",".join(fields),
)
def test_what_has_no_next_slot_is_planned_to_none_and_not_planned_again(term: Term, fields: dict[str, object]) -> None:
    job = job_at(NOON, **fields)
    plan(term)
    cursor = cursor_of(job)
    assert (cursor.next_run_at, cursor.plan_needed, cursor.plan_from, cursor.error) == (None, False, NOON, "")
    assert plan_waiting(term) == 0
    emit(term, NOON + HOUR)
    assert slots(job) == []


def test_a_pause_with_an_end_is_looked_at_when_it_ends_and_its_slots_are_a_gap(term: Term) -> None:
    job = job_at(NOON, paused=True, paused_until=NOON + 10 * MINUTE)
    plan(term)
    assert cursor_of(job).next_run_at == NOON + 10 * MINUTE
    emit(term, NOON + 11 * MINUTE + SECOND)
    assert slots(job) == [NOON + 11 * MINUTE]
    assert gaps(job) == [("paused", 10)]
    assert cursor_of(job).plan_from == NOON + 10 * MINUTE


def test_a_pause_that_ended_before_the_last_edit_is_no_pause(term: Term) -> None:
    job = job_at(NOON, paused=True, paused_until=NOON - MINUTE)
    emit(term, NOON + MINUTE)
    assert slots(job) == [NOON + MINUTE]
    assert gaps(job) == []


def test_an_edit_unparks_and_the_lost_slots_are_a_gap_of_their_own(term: Term) -> None:
    job = job_at(NOON)
    edit_by_sql(job, NOON, "timezone = 'Mars/Olympus'")
    emit(term, NOON + MINUTE)
    job.refresh_from_db()
    edit(job, NOON + HOUR, timezone="UTC")
    emit(term, NOON + HOUR + MINUTE)
    assert slots(job) == [NOON + HOUR + MINUTE]
    assert cursor_of(job).error == ""
    assert ("invalid", 0) in gaps(job)


def test_a_definition_that_turns_bad_in_emission_is_parked_alone(term: Term) -> None:
    good, bad = job_at(NOON), job_at(NOON)
    plan(term)
    # As when another release of the engine, or of tzdata, no longer knows what was planned.
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute("UPDATE jobs_job SET timezone = 'Mars/Olympus' WHERE id = %s", [bad.pk])
        cursor.execute("SET LOCAL session_replication_role = origin")
    emit(term, NOON + MINUTE)
    assert slots(good) == [NOON + MINUTE]
    assert "Mars" in cursor_of(bad).error


@pytest.mark.parametrize("column", ["start_at", "end_at", "paused_until", "once_at", "anchor_at"])
@pytest.mark.parametrize("value", ["infinity", "-infinity", "294276-01-01", "0044-03-15 BC"])
def test_a_time_that_python_cannot_read_is_refused_by_the_table(db: None, column: str, value: str) -> None:
    job = make_job(paused=True)
    with pytest.raises(IntegrityError, match="job_"), transaction.atomic():
        edit_by_sql(job, NOON, f"{column} = '{value}'")


def test_extreme_definitions_that_the_table_takes_disturb_no_other(term: Term) -> None:
    good = job_at(NOON)
    for assignment in (
        "spread_seconds = 2147483647",
        "starting_deadline_seconds = 2147483647",
        "starting_deadline_seconds = 0",
        "queue = repeat('q', 100)",
        "task = repeat('t', 255)",
        "kind = 'interval', cron = '', interval_seconds = 9223372036854775807, anchor_at = now()",
        "kind = 'once', cron = '', once_at = '9999-12-30'",
        "backoff_cap_seconds = 'NaN'",
        "catch_up = 'all', catch_up_limit = 10000",
    ):
        edit_by_sql(job_at(NOON), NOON, assignment)
    emit(term, NOON + MINUTE)
    assert slots(good) == [NOON + MINUTE]


def test_a_fault_of_the_database_parks_nothing(term: Term, monkeypatch: pytest.MonkeyPatch) -> None:
    job = job_at(NOON)

    def broken(*_: object) -> None:
        raise ConnectionError("the server is gone")

    monkeypatch.setattr("jobs.services.plan.planned_jobs", broken)
    with pytest.raises(ConnectionError), transaction.atomic():
        plan_waiting(term)
    assert (cursor_of(job).error, cursor_of(job).plan_needed) == ("", True)


def test_many_jobs_are_planned_in_bounded_batches(term: Term) -> None:
    set_clock(NOON)
    for _ in range(7):
        make_job()
    assert [plan_waiting(term, batch=3) for _ in range(4)] == [3, 3, 1, 0]


def test_a_leader_whose_term_is_over_writes_nothing(term: Term) -> None:
    """I4."""
    job = job_at(NOON)
    Leader.objects.update(term=term.number + 1)
    with pytest.raises(LeadershipLostError):
        plan_waiting(term)
    assert cursor_of(job).plan_needed
    Leader.objects.update(term=term.number)
    plan(term)
    Leader.objects.update(backend_pid=1)
    with pytest.raises(LeadershipLostError):
        emit_due(term, now=NOON + HOUR)
    assert slots(job) == []


def test_the_cursor_keeps_its_last_slot_whoever_writes(term: Term) -> None:
    """I2."""
    job = job_at(NOON)
    emit(term, NOON + MINUTE)
    JobCursor.objects.filter(job=job).update(last_slot=NOON - HOUR)
    JobCursor.objects.filter(job=job).update(last_slot=None)
    assert cursor_of(job).last_slot == NOON + MINUTE
