"""Resume with catch-up, through the leader's own steps: which slots of the pause run, and what is recorded."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

import pytest
from django.db import connection

from jobs.models import Job, JobCursor, JobRun, SlotGap
from jobs.services.emit import emit_due
from jobs.services.lead import take_term
from jobs.services.pause import pause
from jobs.services.plan import plan_waiting
from jobs.services.resume import resume
from jobs.store.clock import database_now
from jobs.store.terms import Term
from tests.support.factories import make_job
from tests.support.job_history import plan

pytestmark = pytest.mark.django_db


def test_the_newest_slot_of_the_pause_runs_and_the_older_ones_are_a_gap() -> None:
    job, began = paused_for_ten_minutes(catch_up="latest")
    resume(job, catch_up="latest")
    lead(job)
    (run,) = JobRun.objects.filter(job=job)
    gap = SlotGap.objects.get(job=job)
    assert (gap.reason, gap.after >= began, gap.until < run.scheduled_for) == ("catch_up", True, True)
    assert database_now() - run.scheduled_for < timedelta(minutes=1)


def test_all_slots_of_the_pause_run_where_the_job_says_so() -> None:
    job, began = paused_for_ten_minutes(catch_up="all")
    resume(job, catch_up="latest")
    lead(job)
    slots = JobRun.objects.filter(job=job).order_by("scheduled_for").values_list("scheduled_for", flat=True)
    assert len(slots) == 10
    assert began < slots[0]
    assert not SlotGap.objects.filter(job=job).exists()


def test_without_catch_up_none_of_them_runs() -> None:
    job, began = paused_for_ten_minutes(catch_up="all")
    resume(job)
    lead(job)
    assert not JobRun.objects.filter(job=job).exists()
    gap = SlotGap.objects.get(job=job)
    assert (gap.reason, gap.after) == ("paused", began)


def paused_for_ten_minutes(*, catch_up: str) -> tuple[Job, datetime]:
    """A job with a slot each minute, the last 30 s ago, whose pause is made to have begun ten minutes ago."""
    now = database_now().replace(microsecond=0)
    anchor = now - timedelta(minutes=20, seconds=30)
    job = make_job(kind="interval", interval_seconds=60, anchor_at=anchor, catch_up=catch_up)
    plan(job, next_run_at=now + timedelta(seconds=30))
    pause(job)
    began = now - timedelta(minutes=10)
    JobCursor.objects.filter(pk=job.pk).update(plan_from=began)
    return job, began


def lead(job: Job) -> None:
    """Plan and emit as the leader does, and step down."""
    term = take_term(0, holder=uuid.uuid4())
    assert isinstance(term, Term)
    try:
        plan_waiting(term)
        emit_due(term)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock_all()")
