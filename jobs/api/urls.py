"""Where the API answers; a project includes this at ``v1/``."""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib.admin.views.decorators import staff_member_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import URLPattern, path, re_path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET

from jobs.api import dead, job_verbs, jobs, operations, platform, problems, runs
from jobs.api.application import api, as_problems
from jobs.api.head import answers_head
from jobs.api.openapi import document

api.add_router("/jobs", jobs.router)
api.add_router("/jobs", job_verbs.router)
api.add_router("/jobs", runs.of_job)
api.add_router("/runs", runs.router)
api.add_router("/operations", operations.router)
api.add_router("/dead-letters", dead.router)
api.add_router("/dead-letters:replay", dead.replays)
api.add_router("/platform", platform.router)
api.add_router("/preview", job_verbs.stateless)


@require_GET
def openapi(request: HttpRequest) -> HttpResponse:
    """The API's description, for anyone: it holds no data."""
    return JsonResponse(document())


@require_GET
@staff_member_required
def docs(request: HttpRequest) -> HttpResponse:
    """The description to read and try, for those who may see the admin."""
    return render(request, "jobs/api_docs.html")


@csrf_exempt
@answers_head
def nothing(request: HttpRequest) -> HttpResponse:
    """What no route takes."""
    return problems.respond(request, Http404(f"There is nothing at {request.path}."))


def _routes() -> Iterator[URLPattern]:
    routes, _, _ = api.urls
    for route in routes:
        if isinstance(route, URLPattern) and route.name != "api-root":
            route.callback = as_problems(route.callback)
            yield route


app_name = "jobs_api"
urlpatterns = [
    path("openapi.json", as_problems(openapi), name="openapi-json"),
    path("docs", as_problems(docs), name="docs"),
    *_routes(),
    re_path("", nothing),
]
