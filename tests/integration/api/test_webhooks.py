"""Webhooks over the API: of a job, and of one run."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from jobs.models import Endpoint, Job, JobRun
from tests.support.api import ApiClient, answer, problem
from tests.support.factories import make_endpoint, make_job

JOB = {"name": "nightly", "kind": "manual", "task": "tests.noop"}


@pytest.fixture
def endpoint(db: None) -> Endpoint:
    return make_endpoint(name="told")


def webhooks() -> list[int | None]:
    """Of the runs so far, oldest first."""
    return list(JobRun.objects.order_by("scheduled_for").values_list("webhook_id", flat=True))


def test_a_job_names_its_webhook_and_loses_it_again(api: ApiClient, endpoint: Endpoint) -> None:
    made = answer(api.post("/jobs", {**JOB, "webhook": "told"}), 201)
    assert made["webhook"] == "told"
    assert answer(api.get("/jobs/nightly")) == made
    assert Job.objects.get().webhook == endpoint
    assert answer(api.patch("/jobs/nightly", {"description": "x"}))["webhook"] == "told"
    assert answer(api.patch("/jobs/nightly", {"webhook": None}))["webhook"] is None
    assert Job.objects.get().webhook is None


def test_a_list_of_jobs_reads_their_webhooks_with_them(api: ApiClient, endpoint: Endpoint) -> None:
    for _ in range(3):
        make_job(webhook=endpoint, kind="manual")
    with CaptureQueriesContext(connection) as queries:
        listed = answer(api.get("/jobs"))["jobs"]
    assert {job["webhook"] for job in listed} == {"told"}
    assert len([query for query in queries if "jobs_endpoint" in query["sql"]]) == 1


@pytest.mark.parametrize("asked", [None, {}, {"kwargs": {"a": 1}}, {"delay_seconds": 60}, {"webhook": None}])
def test_a_run_is_told_where_its_job_says(api: ApiClient, endpoint: Endpoint, asked: object) -> None:
    """The short way and the long way to a run."""
    make_job(name="nightly", kind="manual", webhook=endpoint)
    answer(api.post("/jobs/nightly:run", asked), 202)
    assert webhooks() == [endpoint.pk]


def test_one_run_is_told_elsewhere(api: ApiClient, endpoint: Endpoint) -> None:
    other = make_endpoint(name="other")
    make_job(name="nightly", kind="manual", webhook=endpoint)
    make_job(name="quiet", kind="manual")
    for name in ("nightly", "quiet"):
        answer(api.post(f"/jobs/{name}:run", {"webhook": "other"}), 202)
    answer(api.post("/jobs/quiet:run"), 202)
    assert webhooks() == [other.pk, other.pk, None]


def test_an_unknown_endpoint_is_refused_at_its_field(api: ApiClient) -> None:
    make_job(name="quiet", kind="manual")
    for sent in (api.post("/jobs", {**JOB, "webhook": "nowhere"}), api.post("/jobs/quiet:run", {"webhook": "nowhere"})):
        [fault] = problem(sent, 400)["errors"]
        assert fault == {"field": "webhook", "message": 'There is no endpoint "nowhere". Name one that is registered.'}
    assert not JobRun.objects.exists()


def test_the_built_in_job_takes_no_webhook(api: ApiClient, endpoint: Endpoint) -> None:
    make_job(name="system.webhook", kind="manual", task="jobs.webhook")
    problem(api.patch("/jobs/system.webhook", {"webhook": "told"}), 400)
    problem(api.post("/jobs/system.webhook:run", {"webhook": "told"}), 409)
    problem(api.post("/jobs/system.webhook:run"), 409)
    assert "built in" in problem(api.delete("/jobs/system.webhook"), 409)["detail"]
