"""What becomes of the slots of a pause, and of those before an edit; the public bugs on edits have tests beside."""

from __future__ import annotations

from datetime import datetime

import pytest

from jobs.models import SlotGap
from jobs.store.terms import Term
from tests.support.leading import edit, emit, gaps, job_at, plan, slots
from tests.support.times import DAY, HOUR, MINUTE, NOON, SECOND


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
