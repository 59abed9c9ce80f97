"""The short way to a run: one statement, of a job as a process remembers it, and never of one that has changed."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.test.utils import CaptureQueriesContext

from jobs.models import Job, JobRun
from jobs.services import run_now
from jobs.services.archive import archive
from tests.support.api import ApiClient, answer, client, problem
from tests.support.factories import make_endpoint, make_job


@pytest.fixture
def remembered(api: ApiClient) -> Job:
    """A job of which a run was made before."""
    job = make_job(name="nightly", kind="manual")
    answer(api.post("/jobs/nightly:run"), 202)
    return job


def newest() -> JobRun:
    return JobRun.objects.order_by("-scheduled_for")[0]


def test_the_next_run_of_a_job_is_one_statement(api: ApiClient, remembered: Job) -> None:
    with CaptureQueriesContext(connection) as asked:
        answer(api.post("/jobs/nightly:run", {"kwargs": {"a": 1}}), 202)
    assert [query["sql"].split(maxsplit=1)[0] for query in asked if "jobs_" in query["sql"]] == ["--"]
    assert (newest().payload, newest().max_attempts) == ({"kwargs": {"a": 1}}, remembered.max_attempts)


@pytest.mark.parametrize("changes", [{"priority": 7}, {"queue": "jobs.fast"}, {"max_attempts": 2}])
def test_a_run_is_of_the_job_as_it_is_now(api: ApiClient, remembered: Job, changes: dict[str, Any]) -> None:
    Job.objects.update(**changes)
    for _ in range(2):
        answer(api.post("/jobs/nightly:run"), 202)
        assert {name: getattr(newest(), name) for name in changes} == changes


def test_a_job_that_takes_one_run_at_a_time_by_now_takes_no_second(api: ApiClient, remembered: Job) -> None:
    Job.objects.update(concurrency_policy="forbid")
    before = newest()
    assert str(before.key) in problem(api.post("/jobs/nightly:run"), 409)["detail"]
    assert newest() == before


def test_arguments_are_held_against_the_schema_that_came_meanwhile(api: ApiClient, remembered: Job) -> None:
    Job.objects.update(parameters_schema={"type": "object", "required": ["month"]})
    before = newest()
    assert "month" in problem(api.post("/jobs/nightly:run"), 400)["detail"]
    assert newest() == before


def test_a_job_that_calls_an_endpoint_by_now_is_given_a_body(api: ApiClient, remembered: Job) -> None:
    Job.objects.update(task="", endpoint=make_endpoint())
    answer(api.post("/jobs/nightly:run", {"body": {"a": 1}}), 202)
    assert newest().payload == {"body": {"a": 1}}
    problem(api.post("/jobs/nightly:run", {"kwargs": {"a": 1}}), 400)


def test_an_archived_job_is_gone_and_its_heir_is_run(api: ApiClient, remembered: Job) -> None:
    archive(remembered)
    problem(api.post("/jobs/nightly:run"), 404)
    heir = make_job(name="nightly", kind="manual")
    answer(api.post("/jobs/nightly:run"), 202)
    assert newest().job == heir


def test_a_job_that_went_to_another_team_is_not_found(db: None) -> None:
    team = Group.objects.create(name="billing")
    make_job(name="nightly", team=team)
    api = client(team=team)
    answer(api.post("/jobs/nightly:run"), 202)
    Job.objects.update(team=Group.objects.create(name="web"))
    problem(api.post("/jobs/nightly:run"), 404)
    assert JobRun.objects.count() == 1


def test_a_job_is_read_anew_after_seconds_and_few_are_kept(
    api: ApiClient, remembered: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [run_now.monotonic() + run_now.SECONDS]
    monkeypatch.setattr(run_now, "monotonic", lambda: now[0])
    with CaptureQueriesContext(connection) as asked:
        answer(api.post("/jobs/nightly:run"), 202)
    assert len([query for query in asked if "parameters_schema" in query["sql"]]) == 1
    monkeypatch.setattr(run_now, "_MOST", 1)
    make_job(name="other")
    answer(api.post("/jobs/other:run"), 202)
    assert len(run_now.startable_jobs._known) == 1
