"""The endpoint pages as a browser uses them."""

from __future__ import annotations

from typing import Any

from jobs.admin.endpoint_form import fingerprint
from jobs.models import Endpoint

LIST, ADD = "/admin/jobs/endpoint/", "/admin/jobs/endpoint/add/"
SECRET = "whsec_" + "c2VjcmV0" * 4


def form(**fields: Any) -> dict[str, Any]:
    """The form of an endpoint filled in, changed by ``fields``."""
    filled = {"name": "billing", "url": "https://api.example.com/hook", "enabled": "on", "timeout_seconds": "30"}
    return {**filled, "headers": "{}", "secret_deed": "keep", "secret_headers_deed": "keep", **fields}


def edit(endpoint: Endpoint, **fields: Any) -> dict[str, Any]:
    """The same as it is sent by who has just opened this endpoint."""
    return form(opened=fingerprint(Endpoint.objects.get(pk=endpoint.pk)), **fields)


def page(endpoint: Endpoint, verb: str = "change") -> str:
    return f"/admin/jobs/endpoint/{endpoint.pk}/{verb}/"


def told(response: Any) -> str:
    return " ".join(str(message) for message in response.context["messages"])
