"""Tokens, scopes, and what is no route."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from jobs.api import known_tokens
from jobs.models import Token
from jobs.services.token import make_token, revoke
from jobs.store.clock import database_now
from tests.support.api import ApiClient, answer, client, problem
from tests.support.factories import make_job


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Bearer nonsense", "Basic YTpi", "bk_x", "Bearer ä"])
def test_without_a_living_token_nothing_is_told(db: None, header: str) -> None:
    response = ApiClient().get("/jobs", headers={"Authorization": header} if header else {})
    problem(response, 401)
    assert response["WWW-Authenticate"].startswith("Bearer")


def test_an_expired_or_revoked_token_opens_nothing(db: None) -> None:
    expired = make_token("old", scopes=["admin"], expires_at=database_now() - timedelta(seconds=1))
    problem(ApiClient(expired.text).get("/jobs"), 401)
    made = make_token("new", scopes=["admin"])
    answer(ApiClient(made.text).get("/jobs"))
    revoke(made.token)
    known_tokens.known_tokens.forget()
    refused = ApiClient(made.text).get("/jobs")
    problem(refused, 401)
    assert refused["WWW-Authenticate"].startswith("Bearer")


def test_a_revoked_token_is_known_for_seconds_only(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make_token("new", scopes=["admin"])
    now = [0.0]
    monkeypatch.setattr(known_tokens, "monotonic", lambda: now[0])
    answer(ApiClient(made.text).get("/jobs"))
    revoke(made.token)
    now[0] = known_tokens.SECONDS - 0.1
    answer(ApiClient(made.text).get("/jobs"))
    now[0] = known_tokens.SECONDS
    assert "token" in problem(ApiClient(made.text).get("/jobs"), 401)["detail"]


def test_a_token_is_stored_as_a_digest_and_notes_its_use(db: None) -> None:
    made = make_token("ci", scopes=["jobs:read"])
    answer(ApiClient(made.text).get("/jobs"))
    row = Token.objects.get()
    assert made.text not in repr(row.__dict__)
    assert row.last_used_at is not None


@pytest.mark.parametrize(
    ("scope", "method", "path", "status"),
    [
        ("jobs:read", "GET", "/jobs", 200),
        ("jobs:read", "DELETE", "/jobs/nightly", 403),
        ("jobs:read", "POST", "/jobs/nightly:run", 403),
        ("jobs:write", "POST", "/jobs/nightly:pause", 200),
        ("jobs:write", "GET", "/jobs", 403),
        ("jobs:write", "POST", "/jobs/nightly:run", 403),
        ("runs:run", "POST", "/jobs/nightly:run", 202),
        ("runs:run", "POST", "/jobs/nightly:pause", 403),
        ("admin", "POST", "/jobs/nightly:run", 202),
        ("admin", "GET", "/jobs", 200),
    ],
)
def test_a_scope_allows_what_it_says(db: None, scope: str, method: str, path: str, status: int) -> None:
    make_job(name="nightly")
    response = client(scope).call(method, path)
    assert response.status_code == status
    if status == 403:
        assert scope in problem(response, 403)["detail"]


@pytest.mark.parametrize(
    "path", ["/", "/nothing", "/jobs/", "/jobs/a:b", "/jobs/a%2Fb", "/jobs/%00", "/runs/x", "/runs/1"]
)
def test_what_is_no_route_is_a_problem_too(api: ApiClient, path: str) -> None:
    assert problem(api.get(path), 404)["type"] == "urn:beatkeeper:problem:not-found"


def test_a_method_that_a_route_does_not_take_is_a_problem_too(api: ApiClient) -> None:
    response = api.delete("/jobs")
    problem(response, 405)
    assert set(response["Allow"].split(", ")) == {"GET", "HEAD", "POST"}
    response = api.get("/jobs/nightly:run")
    problem(response, 405)
    assert response["Allow"] == "POST"
    problem(api.post("/docs"), 405)


@pytest.mark.parametrize("host", ["elsewhere.example", "a b", "[::"])
@pytest.mark.parametrize("path", ["/jobs", "/nothing", "/openapi.json", "/jobs/nightly:run"])
def test_a_host_that_is_not_ours_is_a_problem_too(api: ApiClient, host: str, path: str) -> None:
    assert "Host header" in problem(api.get(path, headers={"Host": host}), 400)["detail"]


def test_outside_of_the_api_a_host_that_is_not_ours_is_told_as_django_tells_it(db: None) -> None:
    response = Client(raise_request_exception=False).get("/admin/", headers={"Host": "elsewhere.example"})
    assert (response.status_code, response["Content-Type"]) == (400, "text/html; charset=utf-8")


def test_the_description_is_for_all_and_the_docs_for_staff(db: None) -> None:
    http = Client()
    assert answer(http.get("/v1/openapi.json"))["openapi"] == "3.1.0"
    assert http.get("/v1/docs").status_code == 302


def test_a_session_alone_opens_nothing(admin_client: Client) -> None:
    problem(admin_client.get("/v1/jobs"), 401)
    docs = admin_client.get("/v1/docs")
    assert "/v1/openapi.json" in docs.content.decode()
    for name in re.findall(r"/static/([^\"]+)", docs.content.decode()):
        assert finders.find(name), name
