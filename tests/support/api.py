"""A client of the API as programs use it: JSON in, JSON out, a bearer token."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import Group
from django.http import HttpResponse
from django.test import Client

from jobs.services.token import make_token

ALL_SCOPES = ("jobs:read", "jobs:write", "runs:run")


@dataclass
class ApiClient:
    """Each call gives the response; ``json`` reads it. What is no answer of ours fails the test that looks at it."""

    token: str = ""
    http: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    def call(
        self, method: str, path: str, body: object = None, *, key: str | None = None, headers: Mapping[str, str] = {}
    ) -> HttpResponse:
        """One request below ``/v1``."""
        sent = dict(headers)
        if self.token:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        if key is not None:
            sent["Idempotency-Key"] = key
        data = body if isinstance(body, (bytes, str)) else "" if body is None else json.dumps(body)
        return self.http.generic(method, f"/v1{path}", data, content_type="application/json", headers=sent)

    def get(self, path: str, **options: Any) -> HttpResponse:
        return self.call("GET", path, **options)

    def post(self, path: str, body: object = None, **options: Any) -> HttpResponse:
        return self.call("POST", path, body, **options)

    def patch(self, path: str, body: object = None, **options: Any) -> HttpResponse:
        return self.call("PATCH", path, body, **options)

    def delete(self, path: str, **options: Any) -> HttpResponse:
        return self.call("DELETE", path, **options)


def client(*scopes: str, team: Group | None = None) -> ApiClient:
    """A client with a new token; with all scopes but admin, unless some are named."""
    return ApiClient(make_token("tests", scopes=scopes or ALL_SCOPES, team=team).text)


def problem(response: HttpResponse, status: int) -> dict[str, Any]:
    """The problem document of an answer that has this status."""
    assert response.status_code == status, (response.status_code, response.content[:500])
    assert response["Content-Type"] == "application/problem+json"
    document: dict[str, Any] = json.loads(response.content)
    assert document["status"] == status
    assert document["detail"]
    return document


def answer(response: HttpResponse, status: int = 200) -> Any:
    """The JSON of an answer that has this status."""
    assert response.status_code == status, (response.status_code, response.content[:500])
    assert response["Content-Type"] == "application/json"
    return json.loads(response.content)
