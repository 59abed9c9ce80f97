"""The web server that ``bench api`` loads: our API, and beside it the barest endpoint that inserts one row."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib.auth.models import Group
from django.http import HttpRequest
from django.urls import include, path
from ninja import NinjaAPI, Schema

bare = NinjaAPI(urls_namespace="bare")


class Row(Schema):
    """What the bare endpoint takes."""

    name: str


@bare.post("/rows")
def insert(request: HttpRequest, row: Row) -> dict[str, Any]:
    """Insert one row, with its index, in a transaction of its own."""
    made = Group.objects.create(name=f"{row.name}-{uuid.uuid4()}")
    return {"id": made.pk, "name": made.name}


urlpatterns = [path("v1/", include("jobs.api.urls")), path("bare/", bare.urls)]
