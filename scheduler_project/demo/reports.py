"""``POST /v1/reports``: a view of a team's own that starts a job and answers 202 with the operation to wait for."""

from __future__ import annotations

import json
import re
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_POST

from jobs.api.views import long_running

JOB = "demo.report"
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@require_POST
@long_running(JOB)
def create_report(request: HttpRequest) -> dict[str, Any] | HttpResponse:
    """The arguments of the run: ``{"day": "2030-01-31"}``."""
    try:
        day = json.loads(request.body)["day"]
    except (ValueError, KeyError, TypeError):
        day = None
    if not isinstance(day, str) or not _DAY.fullmatch(day):
        return JsonResponse({"detail": 'Send a JSON object with a day, for example {"day": "2030-01-31"}.'}, status=400)
    return {"day": day}
