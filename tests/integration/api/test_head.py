"""HEAD is answered as GET is, without the content."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.urls import resolve

from jobs.api.health import healthz, metrics, readyz
from jobs.api.urls import nothing
from tests.support.api import ApiClient, answer
from tests.support.factories import make_job

PATHS = (
    *("/jobs", "/jobs/nightly", "/jobs/nightly:preview", "/jobs/nightly/runs", "/runs", "/runs/KEY", "/platform"),
    *("/operations/op_KEY", "/operations/op_KEY:wait?timeout=0", "/dead-letters", "/dead-letters/0123456789ab"),
    *("/openapi.json", "/docs", "/nothing", "/jobs/nothing", "/runs?status=fine"),
)
MOVING = {"Content-Length", "Set-Cookie"}  # the platform tells of seconds passed


@pytest.mark.parametrize("path", PATHS)
def test_head_tells_what_get_would(api: ApiClient, path: str) -> None:
    make_job(name="nightly")
    key = answer(api.post("/jobs/nightly:run"), 202)["name"].removeprefix("op_")
    got, told = (api.call(method, path.replace("KEY", key)) for method in ("GET", "HEAD"))
    assert (told.status_code, told.content) == (got.status_code, b"")
    assert {**told.headers, **dict.fromkeys(MOVING)} == {**got.headers, **dict.fromkeys(MOVING)}
    if path != "/platform":
        assert int(told["Content-Length"]) == len(got.content)


def test_head_needs_the_token_that_get_needs(db: None) -> None:
    assert ApiClient().call("HEAD", "/jobs").status_code == 401


def test_head_where_there_is_no_get_is_not_allowed(api: ApiClient) -> None:
    response = api.call("HEAD", "/jobs/nightly:run")
    assert (response.status_code, response["Allow"], response.content) == (405, "POST", b"")


@pytest.mark.parametrize("view", [healthz, readyz, metrics, resolve("/v1/openapi.json").func, nothing])
def test_a_server_is_handed_no_content(db: None, view: Callable[[HttpRequest], HttpResponse]) -> None:
    """Django's test client leaves it out by itself, so the view is asked directly."""
    got, told = view(RequestFactory().get("/v1/x")), view(request := RequestFactory().head("/v1/x"))
    assert (told.status_code, told.content, request.method) == (got.status_code, b"", "HEAD")
    assert int(told["Content-Length"]) == len(got.content) > 0
