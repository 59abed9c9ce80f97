"""An unchanged save loses nothing; an edit never fires what is past. Both must hold at once."""

from __future__ import annotations

from datetime import datetime

import pytest

from jobs.models import Job, JobVersion, SlotGap
from jobs.store.terms import Term
from tests.support.leading import cursor_of, edit, edit_by_sql, emit, gaps, job_at, plan, set_clock, slots
from tests.support.times import DAY, HOUR, MINUTE, NOON, SECOND


def test_b150_saving_unchanged_over_a_due_slot_loses_nothing(term: Term) -> None:
    job = job_at(NOON - HOUR, cron="0 * * * *")
    plan(term)
    edit(job, NOON + 10 * SECOND)
    emit(term, NOON + 20 * SECOND)
    emit(term, NOON + 30 * SECOND)
    assert slots(job) == [NOON]
    assert gaps(job) == []


def test_b150_an_edit_of_arguments_never_moves_the_schedule(term: Term) -> None:
    job = job_at(NOON - HOUR, cron="0 * * * *")
    plan(term)
    edit(job, NOON + 10 * SECOND, args=[1], description="new", max_attempts=9)
    assert not cursor_of(job).plan_needed
    emit(term, NOON + 20 * SECOND)
    assert slots(job) == [NOON]
    assert not JobVersion.objects.filter(job=job).exists()


def test_b077_an_edit_over_due_slots_leaves_a_gap_and_none_fires(term: Term) -> None:
    job = job_at(NOON - HOUR)
    plan(term)
    edit(job, NOON + 10 * SECOND, cron="30 * * * *")
    emit(term, NOON + MINUTE)
    assert slots(job) == []
    assert gaps(job) == [("edited", 60)]
    assert cursor_of(job).next_run_at == NOON + HOUR / 2


@pytest.mark.parametrize(
    ("at", "cron"), [(NOON + 3 * HOUR, "0 2 * * *"), (NOON + 11 * HOUR, "0 5 * * *"), (NOON, "59 11 * * *")]
)
def test_b077_a_change_of_the_hour_fires_neither_the_new_nor_the_old_time_today(
    term: Term, at: datetime, cron: str
) -> None:
    job = job_at(NOON - 12 * HOUR, cron="0 1 * * *")
    emit(term, NOON)
    ran = slots(job)
    edit(job, at, cron=cron)
    emit(term, NOON + 12 * HOUR - SECOND)
    assert slots(job) == ran
    assert (cursor_of(job).next_run_at or NOON) > NOON + 12 * HOUR


def test_b077_the_old_time_does_not_fire_after_the_edit(term: Term) -> None:
    job = job_at(NOON, cron="0 23 * * *")
    plan(term)
    edit(job, NOON + HOUR, cron="0 5 * * *")
    emit(term, NOON + 16 * HOUR)
    assert slots(job) == []
    emit(term, NOON + 17 * HOUR)
    assert slots(job) == [NOON + 17 * HOUR]


@pytest.mark.parametrize("path", ["form", "bulk", "sql"])
def test_b078_enabling_again_does_not_fire_what_passed_while_off(term: Term, path: str) -> None:
    job = job_at(NOON, cron="0 17 * * *")
    plan(term)
    for at, enabled in ((NOON + 4 * HOUR, False), (NOON + 5.5 * HOUR, True)):
        if path == "form":
            edit(job, at, enabled=enabled)
        elif path == "sql":
            edit_by_sql(job, at, f"enabled = {enabled}")
        else:
            set_clock(at)
            Job.objects.filter(pk=job.pk).update(enabled=enabled)
        emit(term, at + MINUTE)
    assert slots(job) == []
    assert gaps(job) == [("disabled", 1)]
    assert cursor_of(job).next_run_at == NOON + DAY + 5 * HOUR


def test_slots_of_a_pause_are_a_gap_and_resuming_starts_from_now(term: Term) -> None:
    job = job_at(NOON)
    emit(term, NOON + MINUTE)
    edit(job, NOON + MINUTE + SECOND, paused=True)
    emit(term, NOON + HOUR)
    edit(job, NOON + HOUR + SECOND, paused=False)
    emit(term, NOON + HOUR + MINUTE)
    assert slots(job) == [NOON + MINUTE, NOON + HOUR + MINUTE]
    assert gaps(job) == [("paused", 59)]


@pytest.mark.parametrize("is_planned", [True, False])
def test_a_pause_that_ended_while_no_leader_lived_is_a_gap_of_its_own(term: Term, *, is_planned: bool) -> None:
    """I1: what it held back is not laid to the edit that came after."""
    job = job_at(NOON, paused=True, paused_until=NOON + 10 * MINUTE)
    if is_planned:
        plan(term)
    edit(job, NOON + 15 * MINUTE, paused=False, paused_until=None)
    emit(term, NOON + 16 * MINUTE)
    assert gaps(job) == [("paused", 10), ("edited", 5)]
    assert slots(job) == [NOON + 16 * MINUTE]


@pytest.mark.parametrize(
    ("fields", "at", "expected"),
    [
        ({}, NOON + 10 * MINUTE, [("paused", 10)]),  # at its very end
        ({}, NOON + 5 * MINUTE, [("paused", 5)]),  # before it
        ({"enabled": False}, NOON + 15 * MINUTE, [("disabled", 15)]),
    ],
)
def test_a_gap_at_the_end_of_a_pause_has_one_reason(
    term: Term, fields: dict[str, bool], at: datetime, expected: list[tuple[str, int]]
) -> None:
    job = job_at(NOON, paused=True, paused_until=NOON + 10 * MINUTE, **fields)
    plan(term)
    edit(job, at, paused=False, paused_until=None, enabled=True)
    emit(term, at)
    assert gaps(job) == expected


def test_a_pause_that_emission_has_told_of_is_not_told_again(term: Term) -> None:
    job = job_at(NOON, paused=True, paused_until=NOON + 10 * MINUTE)
    emit(term, NOON + 11 * MINUTE)
    edit(job, NOON + 13 * MINUTE, cron="0 0 1 1 *")
    emit(term, NOON + 13 * MINUTE)
    assert gaps(job) == [("paused", 10), ("edited", 2)]


def test_a_gap_is_counted_by_the_definition_that_its_slots_belong_to(term: Term) -> None:
    job = job_at(NOON, cron="*/10 * * * *")
    edit(job, NOON + HOUR, cron="*/2 * * * *")
    edit(job, NOON + HOUR, description="a change of no schedule")
    edit(job, NOON + 2 * HOUR, cron="0 0 1 1 *")
    emit(term, NOON + 2 * HOUR)
    assert gaps(job) == [("edited", 6), ("edited", 30)]


def test_counting_is_capped_and_says_so(term: Term) -> None:
    job = job_at(NOON - 20 * DAY)
    emit(term, NOON + 30 * SECOND)
    gap = SlotGap.objects.get(job=job)
    assert (gap.reason, gap.count, gap.is_capped) == ("catch_up", 10_000, True)
