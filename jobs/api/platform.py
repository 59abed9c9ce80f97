"""``/v1/platform``: how the installation does, told by a process that is neither leader nor worker."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Router, Schema

from jobs.api.application import answers
from jobs.api.callers import READ
from jobs.services.platform import platform_status
from jobs.services.platform_document import platform_document

router = Router(tags=["platform"])


class PlatformOut(Schema):
    """``status`` is ok, degraded or down; ``problems`` say what is wrong and what to do."""

    status: str
    problems: list[dict[str, Any]]


@router.get(
    "",
    auth=READ,
    response=answers(PlatformOut),
    summary="How the platform does",
    description="Leaders, queues, broker, partitions, zone rules. 200 also when something is wrong: look at `status`.",
    operation_id="get_platform",
)
def get_platform(request: HttpRequest) -> HttpResponse:
    return JsonResponse(platform_document(platform_status()))
