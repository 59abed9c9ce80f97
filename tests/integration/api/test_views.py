"""A team's own views that start a job: plain Django's and ninja's."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.test import Client
from django.urls import path
from ninja import NinjaAPI, Schema

from jobs.api.views import long_running, read_json
from jobs.models import Job, JobRun
from tests.support.api import ApiClient, answer, client, problem
from tests.support.factories import make_endpoint, make_job

ninja = NinjaAPI(urls_namespace="team")


class Report(Schema):
    month: str


@ninja.post("/reports")
@long_running("reports.build")
def create_report(request: HttpRequest, report: Report) -> dict[str, Any]:
    Group.objects.create(name=report.month)
    return {"month": report.month}


@long_running("reports.build")
def plain(request: HttpRequest) -> dict[str, Any] | HttpResponse:
    body = json.loads(request.body)
    Group.objects.create(name=body["month"])
    return JsonResponse({"no": "thanks"}, status=402) if body["month"] == "never" else body


@long_running("reports.build")
def reads(request: HttpRequest) -> dict[str, Any]:
    body: dict[str, Any] = read_json(request)
    return body


@long_running("reports.build", scope=None)
def sessions(request: HttpRequest) -> dict[str, Any]:
    return {"month": "2030-01"}


urlpatterns = [
    path("v1/plain", plain),
    path("v1/read", reads),
    path("v1/sessions", sessions),
    path("v1/team/", ninja.urls),
]
pytestmark = pytest.mark.urls(__name__)


@pytest.mark.parametrize("route", ["/team/reports", "/plain"])
def test_a_view_starts_one_run_for_a_request_sent_twice(api: ApiClient, route: str) -> None:
    make_job(name="reports.build")
    first, second = (api.post(route, {"month": "2030-01"}, key="k") for _ in range(2))
    assert answer(first, 202) == answer(second, 202)
    assert first["Location"] == second["Location"] == f"/v1/operations/{answer(first, 202)['name']}"
    assert JobRun.objects.get().payload == {"kwargs": {"month": "2030-01"}}


def test_what_the_view_wrote_goes_with_the_run(api: ApiClient) -> None:
    problem(api.post("/plain", {"month": "2030-01"}, key="k"), 404)
    assert not Group.objects.exists()
    make_job(name="reports.build", concurrency_policy="forbid")
    answer(api.post("/plain", {"month": "2030-01"}, key="k"), 202)
    problem(api.post("/plain", {"month": "2030-02"}), 409)
    assert [group.name for group in Group.objects.all()] == ["2030-01"]


def test_a_view_may_refuse_by_itself(api: ApiClient) -> None:
    make_job(name="reports.build")
    response = api.post("/plain", {"month": "never"}, key="k")
    assert (response.status_code, json.loads(response.content)) == (402, {"no": "thanks"})
    assert not Group.objects.exists()
    assert not JobRun.objects.exists()


def test_a_view_needs_the_scope(db: None) -> None:
    make_job(name="reports.build")
    problem(ApiClient().post("/plain", {"month": "x"}), 401)
    problem(client("jobs:read").post("/plain", {"month": "x"}), 403)
    assert not JobRun.objects.exists()
    answer(ApiClient().post("/sessions", {}), 202)
    assert JobRun.objects.count() == 1


def test_a_session_needs_the_csrf_token_and_a_bearer_token_does_not(api: ApiClient) -> None:
    make_job(name="reports.build")
    api.http = Client(enforce_csrf_checks=True)
    answer(api.post("/plain", {"month": "2030-01"}), 202)
    assert api.post("/sessions", {}).status_code == 403


def test_a_teams_token_starts_the_jobs_of_its_team_alone(db: None) -> None:
    team = Group.objects.create(name="billing")
    make_job(name="reports.build")
    problem(client(team=team).post("/plain", {"month": "2030-01"}), 404)
    assert not JobRun.objects.exists()
    Job.objects.update(team=team)
    answer(client(team=team).post("/plain", {"month": "2030-02"}), 202)
    assert JobRun.objects.get().payload["kwargs"] == {"month": "2030-02"}


def test_a_kept_answer_is_for_who_still_reaches_the_job(db: None) -> None:
    team = Group.objects.create(name="billing")
    make_job(name="reports.build", team=team)
    api = client(team=team)
    first = answer(api.post("/plain", {"month": "2030-01"}, key="k"), 202)
    assert answer(api.post("/plain", {"month": "2030-01"}, key="k"), 202) == first
    Job.objects.update(team=None)
    problem(api.post("/plain", {"month": "2030-01"}, key="k"), 404)
    assert JobRun.objects.count() == 1


def test_a_body_that_is_no_json_is_told_by_read_json(api: ApiClient) -> None:
    make_job(name="reports.build")
    for body in ("[" * 100_000, "{", '{"a": NaN}'):
        problem(api.post("/read", body), 400)
    assert not JobRun.objects.exists()


def test_an_http_job_gets_the_body(api: ApiClient) -> None:
    make_job(name="reports.build", task="", endpoint=make_endpoint())
    answer(api.post("/plain", {"month": "2030-01"}), 202)
    assert JobRun.objects.get().payload == {"body": {"month": "2030-01"}}
