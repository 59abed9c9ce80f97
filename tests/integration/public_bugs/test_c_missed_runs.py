"""Slots that came while nobody led, and runs asked for by hand between them."""

from __future__ import annotations

import json
from datetime import datetime
from io import StringIO
from itertools import cycle, islice
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from jobs.domain.states import Trigger
from jobs.models import Job, JobCursor, JobRun
from jobs.services.emit import emit_due
from jobs.services.run import run_job
from jobs.store.terms import Term
from tests.integration.admin.conftest import PREVIEW, form
from tests.support.leading import cursor_of, emit, gaps, job_at, plan, slots
from tests.support.times import DAY, HOUR, MINUTE, NOON, SECOND

MISSED = 10_000
LAST_RUN = NOON - MISSED * MINUTE


@pytest.mark.parametrize(
    ("catch_up", "caught_up", "left_out"),
    [
        ("latest", [NOON - MINUTE], MISSED - 2),
        ("skip", [], MISSED - 1),
        ("all", [LAST_RUN + n * MINUTE for n in range(1, 101)], MISSED - 101),
    ],
)
def test_b043_a_job_that_missed_ten_thousand_slots_goes_on_at_the_cost_of_one_batch(
    term: Term, catch_up: str, caught_up: list[datetime], left_out: int
) -> None:
    job = job_at(LAST_RUN - MINUTE, catch_up=catch_up)
    emit(term, LAST_RUN)
    catching_up, ordinary = (statements(term, NOON + minute * MINUTE + SECOND) for minute in (0, 1))
    assert catching_up == ordinary + 1  # the gap
    emit(term, NOON + 2 * MINUTE)
    assert slots(job) == [LAST_RUN, *caught_up, NOON, NOON + MINUTE, NOON + 2 * MINUTE]
    assert gaps(job) == [("catch_up", left_out)]


def statements(term: Term, now: datetime) -> int:
    """How many one emission takes."""
    with CaptureQueriesContext(connection) as queries:
        emit_due(term, now=now)
    return len(queries)


@pytest.mark.parametrize("catch_up", ["latest", "all", "skip"])
@pytest.mark.parametrize("late", [1.2, 5.0, 6.0, 59.0])
def test_b045_no_policy_drops_a_slot_for_being_seconds_late(term: Term, catch_up: str, late: float) -> None:
    job = job_at(NOON - MINUTE, cron="0 * * * *", catch_up=catch_up)
    emit(term, NOON - SECOND)
    emit(term, NOON + late * SECOND)
    emit(term, NOON + HOUR - SECOND)
    assert slots(job) == [NOON]
    assert gaps(job) == []


def test_b046_after_an_hour_away_one_missed_slot_runs_and_the_others_are_shown(
    term: Term, admin_client: Client
) -> None:
    job = job_at(NOON - HOUR, name="minutely")
    emit(term, NOON + 30 * SECOND)
    assert slots(job) == [NOON]
    (gap,) = cli("show", "minutely")["gaps"]
    assert (gap["reason"], gap["count"]) == ("catch_up", 59)
    page = admin_client.get(f"/admin/jobs/job/{job.pk}/change/").content.decode()
    assert "missed in an outage" in page


def test_b047_a_new_job_sets_off_no_other_one_again(term: Term) -> None:
    ran = [job_at(NOON - 2 * HOUR, cron=cron, starting_deadline_seconds=3600) for cron in ("1 11 * * *", "2 11 * * *")]
    for minute in (1, 2):
        emit(term, NOON - HOUR + minute * MINUTE)
    new = job_at(NOON - HOUR / 2, cron="0 12 * * *")
    for now in (NOON - HOUR / 2, NOON - SECOND):
        emit(term, now)
    assert [slots(job) for job in ran] == [[NOON - HOUR + MINUTE], [NOON - HOUR + 2 * MINUTE]]
    assert slots(new) == []
    emit(term, NOON)
    assert slots(new) == [NOON]


@pytest.mark.parametrize(
    ("fields", "reason"), [({"starting_deadline_seconds": 1800}, "deadline"), ({"catch_up": "skip"}, "catch_up")]
)
def test_b048_a_weekly_job_from_an_old_backup_waits_for_its_day(term: Term, fields: Any, reason: str) -> None:
    saturday, wednesday = datetime.fromisoformat("2026-02-21T10:00Z"), datetime.fromisoformat("2026-03-04T10:00Z")
    job = job_at(saturday - DAY, cron="0 10 * * 6", **fields)
    emit(term, saturday)
    emit(term, wednesday)
    assert slots(job) == [saturday]
    assert gaps(job) == [(reason, 1)]
    assert cursor_of(job).next_run_at == datetime.fromisoformat("2026-03-07T10:00Z")


def test_b053_looking_at_a_due_job_changes_nothing_and_it_still_runs(term: Term, admin_client: Client) -> None:
    job = job_at(NOON - HOUR, name="looked-at", cron="0 * * * *")
    plan(term)
    before = list(Job.objects.values()), list(JobCursor.objects.values())
    looks = [
        lambda: admin_client.get("/admin/jobs/job/"),
        lambda: admin_client.get(f"/admin/jobs/job/{job.pk}/change/"),
        lambda: admin_client.post(PREVIEW, form(cron="0 * * * *")),
        lambda: admin_client.get("/admin/jobs/jobrun/"),
        lambda: [cli(*words) for words in (["show", "looked-at"], ["list"], ["preview", "looked-at"])],
    ]
    for look in islice(cycle(looks), 20):
        look()
    assert (list(Job.objects.values()), list(JobCursor.objects.values())) == before
    emit(term, NOON)
    assert slots(job) == [NOON]


def test_b054_runs_by_hand_take_no_slots_place_and_move_no_cursor(term: Term, admin_client: Client) -> None:
    job = Job.objects.create(name="daily", kind="cron", cron="0 9 * * *", task="tests.noop")
    plan(term)
    before = cursor_of(job)
    assert before.next_run_at is not None
    for _ in range(2):
        admin_client.post(f"/admin/jobs/job/{job.pk}/run/")
    asked = [run_job(job, at=before.next_run_at).scheduled_for for _ in range(2)]
    assert before.next_run_at not in asked
    after = cursor_of(job)
    assert (after.next_run_at, after.last_slot, after.plan_from) == (before.next_run_at, None, before.plan_from)
    emit(term, before.next_run_at)
    by_trigger = [JobRun.objects.filter(job=job, trigger=trigger).count() for trigger in (Trigger.MANUAL, "schedule")]
    assert by_trigger == [4, 1]
    assert JobRun.objects.get(job=job, trigger=Trigger.SCHEDULE).scheduled_for == before.next_run_at


def cli(*arguments: str) -> dict[str, Any]:
    """The JSON document of a look."""
    out = StringIO()
    call_command("jobs", *arguments, "--json", stdout=out, stderr=StringIO())
    found: dict[str, Any] = json.loads(out.getvalue().splitlines()[0])
    return found
