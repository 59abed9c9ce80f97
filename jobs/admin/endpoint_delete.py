"""Deleting an endpoint: only one that no job names, archived ones too, for their history names it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db.models import ProtectedError, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from jobs.admin.generics import ModelAdmin
from jobs.models import Endpoint, Job

_MOST_COUNTED = 1000


class EndpointDeleteAdmin(ModelAdmin[Endpoint]):
    """Django's own page would list all of the jobs; here they are counted, up to a cap."""

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        endpoint = self.get_object(request, object_id)
        try:
            if endpoint is None or not (users := _users(endpoint)):
                return super().delete_view(request, object_id, extra_context)
        except ProtectedError:  # a job was made meanwhile
            users = "jobs"
        messages.error(
            request,
            f'Endpoint "{endpoint}" was not deleted: {users} (archived ones count) have it as their target or '
            "webhook, and their history needs it. Point them to another endpoint, or disable this one.",
        )
        return redirect("admin:jobs_endpoint_change", object_id)


def _users(endpoint: Endpoint) -> str:
    """How many jobs call it or have it told of their runs, in words; empty for none."""
    count = Job.objects.filter(Q(endpoint=endpoint) | Q(webhook=endpoint))[:_MOST_COUNTED].count()
    if not count:
        return ""
    return "1 job" if count == 1 else f"{count:,}{' or more' if count == _MOST_COUNTED else ''} jobs"
