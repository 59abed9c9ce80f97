"""``POST /v1/reports``: a view of a team's own that starts a job and answers 202 with the operation to wait for."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.views.decorators.http import require_POST

from jobs.api.views import long_running, read_json
from jobs.errors import InvalidFieldError

JOB = "demo.report"


@require_POST
@long_running(JOB)
def create_report(request: HttpRequest) -> dict[str, Any]:
    """The arguments of the run: ``{"day": "2030-01-31"}``."""
    body = read_json(request)
    if not isinstance(body, dict):
        raise InvalidFieldError("body", 'Send a JSON object such as {"day": "2030-01-31"}.')
    return body  # the job's parameters_schema says what must be in it
