"""Pause and resume: what a pause held back is a gap, or missed, by choice."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from jobs.errors import ConflictError, InvalidFieldError
from jobs.models import Job, JobCursor, SlotGap
from jobs.services.archive import archive
from jobs.services.pause import pause
from jobs.services.resume import resume
from jobs.store.clock import database_now
from tests.support.factories import make_job
from tests.support.job_history import plan

pytestmark = pytest.mark.django_db


def planned(**fields: object) -> Job:
    """A job that the leader has planned, with its next slot ahead."""
    job = make_job(**fields)
    plan(job, next_run_at=database_now() + timedelta(minutes=1))
    return job


def plan_from(job: Job) -> datetime:
    return JobCursor.objects.get(pk=job.pk).plan_from


def test_a_pause_without_end_holds_until_it_is_resumed() -> None:
    job = planned()
    pause(job, reason="migration")
    assert (job.paused, job.paused_until, job.pause_reason) == (True, None, "migration")
    resume(job)
    assert (job.paused, job.paused_until, job.pause_reason) == (False, None, "")


def test_resuming_goes_on_from_now_and_the_pause_is_a_gap() -> None:
    job = planned()
    pause(job)
    began = plan_from(job)
    resume(job)
    gap = SlotGap.objects.get(job=job)
    assert (gap.reason, gap.after, gap.until) == ("paused", began, plan_from(job))
    assert began < plan_from(job)


def test_resuming_with_catch_up_turns_the_gap_back_into_missed_slots() -> None:
    job = planned()
    pause(job)
    began = plan_from(job)
    resume(job, catch_up="latest")
    assert not SlotGap.objects.filter(job=job).exists()
    cursor = JobCursor.objects.get(pk=job.pk)
    assert (cursor.plan_from, cursor.plan_needed, cursor.next_run_at) == (began, True, None)


def test_a_prolonged_pause_is_turned_back_as_a_whole() -> None:
    job = planned()
    pause(job, until=database_now() + timedelta(hours=1))
    began = plan_from(job)
    pause(job, until=database_now() + timedelta(hours=2))
    pause(job)
    assert SlotGap.objects.filter(job=job, reason="paused").count() == 2
    resume(job, catch_up="latest")
    assert plan_from(job) == began
    assert not SlotGap.objects.filter(job=job).exists()


def test_slots_of_an_earlier_schedule_are_not_turned_back() -> None:
    """I1: a slot belongs to the definition of its moment."""
    job = planned()
    pause(job)
    job.cron = "*/5 * * * *"
    job.save()
    edited = plan_from(job)
    resume(job, catch_up="latest")
    assert plan_from(job) == edited
    assert [gap.until for gap in SlotGap.objects.filter(job=job, reason="paused")] == [edited]


def test_an_earlier_pause_stays_a_gap() -> None:
    job = planned()
    pause(job)
    resume(job)
    plan(job, next_run_at=database_now() + timedelta(minutes=1))
    pause(job)
    began = plan_from(job)
    resume(job, catch_up="latest")
    assert plan_from(job) == began
    assert SlotGap.objects.filter(job=job, reason="paused").count() == 1


def test_time_that_a_paused_job_was_disabled_is_not_turned_back() -> None:
    job = planned()
    pause(job)
    Job.objects.filter(pk=job.pk).update(enabled=False)
    Job.objects.filter(pk=job.pk).update(enabled=True)
    enabled_again = plan_from(job)
    resume(job, catch_up="latest")
    assert plan_from(job) == enabled_again
    assert set(SlotGap.objects.filter(job=job).values_list("reason", flat=True)) == {"paused", "disabled"}


def test_a_failed_resume_leaves_everything_as_it_was() -> None:
    job = planned()
    before = plan_from(job)
    with pytest.raises(ConflictError, match="is not paused; nothing to resume"):
        resume(job)
    assert plan_from(job) == before


def test_pausing_the_same_way_twice_changes_nothing() -> None:
    job = planned()
    pause(job, reason="x")
    before = (plan_from(job), job.version)
    pause(job, reason="x")
    assert (plan_from(job), job.version) == before


def test_an_archived_job_is_neither_paused_nor_resumed() -> None:
    job = planned()
    archive(job)
    with pytest.raises(ConflictError, match="is archived and cannot be paused"):
        pause(job)
    with pytest.raises(ConflictError, match="is archived; nothing to resume"):
        resume(job)


def test_bad_ends_reasons_and_words_are_refused() -> None:
    job = planned()
    with pytest.raises(InvalidFieldError, match=r"has passed\. Choose a later time, or none for no end"):
        pause(job, until=database_now() - timedelta(seconds=1))
    with pytest.raises(InvalidFieldError, match="has no offset from UTC"):
        pause(job, until=datetime(2999, 1, 1))
    with pytest.raises(InvalidFieldError, match="has 1,001 characters; 1,000 are allowed"):
        pause(job, reason="x" * 1001)
    with pytest.raises(InvalidFieldError, match="The reason holds half of a surrogate pair"):
        pause(job, reason="\ud800")
    with pytest.raises(InvalidFieldError, match=r'catch_up "all" cannot be asked for here\. Allowed is latest'):
        resume(job, catch_up="all")
