"""Faults reported of other schedulers, shown not to happen through the API: docs/reference/public-bugs.md."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction

from jobs.models import Job, JobCursor, JobRun
from jobs.services.run import run_job
from jobs.store.clock import database_now
from tests.support.api import ApiClient, answer, problem
from tests.support.elsewhere import sql
from tests.support.factories import make_job


def test_b024_a_time_without_offset_is_refused_and_one_with_it_is_that_instant(api: ApiClient) -> None:
    body = {"name": "once", "kind": "once", "task": "tests.noop"}
    assert "once_at" in problem(api.post("/jobs", {**body, "once_at": "2030-01-01T12:00:00"}), 400)["detail"]
    made = answer(api.post("/jobs", {**body, "once_at": "2030-01-01T12:00:00+02:00"}), 201)
    assert (made["once_at"], made["next"]) == ("2030-01-01T10:00:00Z", "2030-01-01T10:00:00Z")


def test_b053_reads_change_nothing_and_the_run_still_fires(api: ApiClient) -> None:
    make_job(name="nightly")
    sql("UPDATE jobs_cursor SET next_run_at = now() - interval '1 second', plan_needed = false")
    before = list(JobCursor.objects.values()), list(Job.objects.values())
    for _ in range(20):
        for path in ("/jobs", "/jobs/nightly", "/jobs/nightly:preview", "/jobs/nightly/runs", "/runs", "/platform"):
            answer(api.get(path))
    assert (list(JobCursor.objects.values()), list(Job.objects.values())) == before
    assert not JobRun.objects.exists()


def test_b054_running_a_job_now_takes_no_slots_place(api: ApiClient) -> None:
    make_job(name="daily", cron="0 9 * * *")
    sql("UPDATE jobs_cursor SET next_run_at = date_trunc('hour', now()) + interval '2 hours', plan_needed = false")
    before = JobCursor.objects.values().get()
    names = {answer(api.post("/jobs/daily:run"), 202)["name"] for _ in range(3)}
    assert len(names) == 3
    assert JobCursor.objects.values().get() == before
    assert all(run.scheduled_for.microsecond for run in JobRun.objects.all())


@pytest.mark.parametrize("at_once", [True, False])
def test_b054_two_runs_for_the_same_instant_are_two(api: ApiClient, at_once: bool) -> None:
    make_job(name="daily")
    at = None if at_once else (database_now() + timedelta(hours=1)).replace(microsecond=0).isoformat()
    names = {answer(api.post("/jobs/daily:run", {"run_at": at} if at else {}), 202)["name"] for _ in range(2)}
    assert len(names) == 2


def test_b085_the_next_slot_is_the_new_one_right_after_an_edit(api: ApiClient) -> None:
    make_job(name="daily", cron="0 9 * * *")
    edited = answer(api.patch("/jobs/daily", {"cron": "30 10 * * *"}))
    first = answer(api.get("/jobs/daily:preview?count=1"))["slots"][0]["utc"]
    assert edited["next"] == answer(api.get("/jobs/daily"))["next"] == first
    assert answer(api.patch("/jobs/daily", {"enabled": False}))["next"] is None


@pytest.mark.usefixtures("committed")
def test_b117_a_run_of_a_rolled_back_transaction_leaves_neither_row_nor_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job, sent = make_job(), []
    monkeypatch.setattr("jobs.services.dispatch.publish", sent.append)
    with transaction.atomic():
        run_job(job)
        assert JobRun.objects.count() == 1
        transaction.set_rollback(True)
    assert not JobRun.objects.exists()
    assert not sent
    with transaction.atomic():
        key = run_job(job)
        assert not sent
    assert sent == [(key,)]
