"""The columns of the endpoint list."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest

from jobs.admin.lists import ListAdmin
from jobs.errors import UnreadableSecretError
from jobs.models import Endpoint
from jobs.sealing import unseal
from jobs.store.endpoint_users import endpoint_users

COUNT_CAP = 1000


class EndpointChangeList(ChangeList):
    """A page of endpoints and, in one more statement, how many jobs call each."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list: Any = list(self.result_list)
        users = endpoint_users([endpoint.pk for endpoint in self.result_list], cap=COUNT_CAP)
        for endpoint in self.result_list:
            endpoint.users = users[endpoint.pk]


class EndpointColumns(ListAdmin[Endpoint]):
    """What the list and the page say of an endpoint. Of secrets only whether they are there, and headers' names."""

    @admin.display(description="jobs")
    def used_by(self, endpoint: Endpoint) -> str:
        users = getattr(endpoint, "users", None)
        if users is None:
            users = endpoint_users([endpoint.pk], cap=COUNT_CAP)[endpoint.pk]
        return f"{users:,} or more" if users == COUNT_CAP else f"{users:,}"

    @admin.display(description="signed", boolean=True)
    def is_signed(self, endpoint: Endpoint) -> bool:
        return bool(endpoint.sealed_secret)

    @admin.display(description="now")
    def secret_state(self, endpoint: Endpoint) -> str:
        if not endpoint.sealed_secret:
            return "none: calls are not signed"
        return _unreadable(endpoint.sealed_secret) or "set: calls are signed"

    @admin.display(description="now")
    def secret_headers_state(self, endpoint: Endpoint) -> str:
        if not endpoint.sealed_headers:
            return "none"
        return _unreadable(endpoint.sealed_headers) or f"set: {', '.join(_names(endpoint.sealed_headers))}"


def _names(sealed: str) -> list[str]:
    return sorted(json.loads(unseal(sealed)))


def _unreadable(sealed: str) -> str:
    """Why it cannot be read; empty when it can."""
    try:
        unseal(sealed)
    except UnreadableSecretError as error:
        return f"set, but unreadable. {error}"
    return ""
