"""The API object: how bodies are read, how errors are told, how routes describe themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from jobs.api import problems
from jobs.api.head import answers_head
from jobs.api.parser import StrictParser, require_length
from jobs.api.schemas.common import ProblemOut
from jobs.errors import LengthRequiredError

_DESCRIPTION = """
Jobs, their runs, and operations to wait for. Authorize with a token: `Authorization: Bearer bk_…`.

What takes long is answered `202 Accepted` with the `Location` of an operation: poll it, or wait with `:wait`.
Send an `Idempotency-Key` with each POST: sent again, it has one effect and the same answer. Errors are
`application/problem+json`. Lists are read page by page: send `next_page_token` back as `page_token`.
"""
_ERRORS = (400, 401, 403, 404, 405, 409, 411, 412, 413, 422, 429, 503)

api = NinjaAPI(
    title="Beatkeeper",
    version="1",
    description=_DESCRIPTION,
    urls_namespace="jobs_api",
    openapi_url=None,
    docs_url=None,
    parser=StrictParser(),
)
for _type in (Exception, HttpError, Http404, ValidationError):  # each of those the framework answers by itself
    api.add_exception_handler(_type, problems.respond)


def answers(model: Any, *, status: int = 200, errors: tuple[int, ...] = _ERRORS) -> dict[int, Any]:
    """A route's answers: its own and the problems."""
    return {status: model, **dict.fromkeys(errors, ProblemOut)}


def as_problems(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A view whose 405, too, is a problem, and which waits in no transaction, whatever ATOMIC_REQUESTS says (I9)."""

    @answers_head
    def told(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            require_length(request)
        except LengthRequiredError as error:
            return problems.respond(request, error)
        response = view(request, *args, **kwargs)
        if response.status_code != 405:
            return response
        allowed = response["Allow"].replace("GET", "GET, HEAD")
        told_ = problems.problem(
            problems.METHOD_NOT_ALLOWED,
            "method-not-allowed",
            detail=f"{request.method} is not for {request.path}; it takes {allowed}.",
        )
        told_["Allow"] = allowed
        return told_

    told.csrf_exempt = True  # type: ignore[attr-defined]  # read by Django's middleware; tokens are no cookies
    return transaction.non_atomic_requests(told)
