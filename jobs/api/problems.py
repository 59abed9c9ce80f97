"""Every error as ``application/problem+json`` (RFC 9457). The one place where errors become HTTP statuses."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple

from django.core.exceptions import DisallowedHost, RequestDataTooBig, ValidationError
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.urls import reverse
from django.views import defaults
from ninja.errors import HttpError
from ninja.errors import ValidationError as SchemaError

from jobs import errors, log
from jobs.api.head import answers_head

METHOD_NOT_ALLOWED = HTTPStatus.METHOD_NOT_ALLOWED
CONTENT_TYPE = "application/problem+json"
_RETRY_SECONDS = 1


class Fault(NamedTuple):
    """What is wrong with one field; ``field`` is a path such as ``schedule.cron``, or ``query.page_size``."""

    field: str
    message: str


class _Kind(NamedTuple):
    status: HTTPStatus
    name: str


# The first that fits decides, so the narrow come before the wide.
_KINDS: Mapping[type[Exception], _Kind] = {
    errors.InvalidFieldError: _Kind(HTTPStatus.BAD_REQUEST, "invalid-request"),
    ValidationError: _Kind(HTTPStatus.BAD_REQUEST, "invalid-request"),
    SchemaError: _Kind(HTTPStatus.BAD_REQUEST, "invalid-request"),
    errors.NotFoundError: _Kind(HTTPStatus.NOT_FOUND, "not-found"),
    Http404: _Kind(HTTPStatus.NOT_FOUND, "not-found"),
    errors.BusyError: _Kind(HTTPStatus.CONFLICT, "in-progress"),
    errors.ConflictError: _Kind(HTTPStatus.CONFLICT, "conflict"),
    errors.ChangedError: _Kind(HTTPStatus.PRECONDITION_FAILED, "changed"),
    errors.KeyReusedError: _Kind(HTTPStatus.UNPROCESSABLE_ENTITY, "idempotency-key-reused"),
    errors.LengthRequiredError: _Kind(HTTPStatus.LENGTH_REQUIRED, "length-required"),
    errors.TooLargeError: _Kind(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-large"),
    UnreadablePostError: _Kind(HTTPStatus.BAD_REQUEST, "invalid-request"),
    RequestDataTooBig: _Kind(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-large"),
    errors.UnknownCallerError: _Kind(HTTPStatus.UNAUTHORIZED, "unknown-token"),
    errors.NotAllowedError: _Kind(HTTPStatus.FORBIDDEN, "not-allowed"),
    errors.RateLimitedError: _Kind(HTTPStatus.TOO_MANY_REQUESTS, "rate-limited"),
    errors.CallerError: _Kind(HTTPStatus.BAD_REQUEST, "invalid-request"),
    errors.DependencyError: _Kind(HTTPStatus.SERVICE_UNAVAILABLE, "unavailable"),
    OperationalError: _Kind(HTTPStatus.SERVICE_UNAVAILABLE, "unavailable"),
    InterfaceError: _Kind(HTTPStatus.SERVICE_UNAVAILABLE, "unavailable"),
}
_UNEXPECTED = _Kind(HTTPStatus.INTERNAL_SERVER_ERROR, "internal")


def respond(request: HttpRequest, error: Any) -> HttpResponse:
    """The problem document of an error. What is not the caller's to know stays in the log."""
    if isinstance(error, HttpError) and error.__cause__ is not None:
        error = error.__cause__  # the framework's wrapping of what our parser says
    kind = next((kind for type_, kind in _KINDS.items() if isinstance(error, type_)), _UNEXPECTED)
    if kind.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        log.error("api.failed", method=request.method, path=request.path, error=repr(error))
    faults = list(_faults(error))
    response = problem(kind.status, kind.name, detail=_detail(error, kind, faults), faults=faults)
    return _with_headers(response, error, kind.status)


@answers_head
def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A project's ``handler400``: what Django refuses before any view is asked is a problem to the API's callers."""
    if not request.path_info.startswith(reverse("jobs_api:openapi-json").removesuffix("openapi.json")):
        return defaults.bad_request(request, exception)
    why = "The Host header names no host of this server." if isinstance(exception, DisallowedHost) else ""
    return problem(HTTPStatus.BAD_REQUEST, "invalid-request", detail=why or HTTPStatus.BAD_REQUEST.description)


def problem(status: HTTPStatus, name: str, *, detail: str, faults: Sequence[Fault] = ()) -> HttpResponse:
    """A problem document: ``type``, ``title``, ``status``, ``detail``, and ``errors`` by field where there are some."""
    document: dict[str, Any] = {
        "type": f"urn:beatkeeper:problem:{name}",
        "title": status.phrase,
        "status": status.value,
        "detail": detail,
    }
    if faults:
        document["errors"] = [fault._asdict() for fault in faults]
    return JsonResponse(document, status=status.value, content_type=CONTENT_TYPE)


def _faults(error: Exception) -> Iterator[Fault]:
    match error:
        case errors.InvalidFieldError():
            yield Fault(error.field, str(error))
        case errors.NameTakenError():
            yield Fault("name", str(error))
        case ValidationError() if hasattr(error, "error_dict"):
            for field, messages in error.message_dict.items():
                yield Fault("" if field == "__all__" else field, " ".join(messages))
        case SchemaError():
            yield from (_schema_fault(fault) for fault in error.errors)


def _schema_fault(fault: Mapping[str, Any]) -> Fault:
    where, *path = (str(part) for part in fault["loc"])
    # Of a body, the name of the route's own parameter follows: it is nobody's concern outside.
    message = fault["msg"].removeprefix("Value error, ")  # of our own validators
    return Fault(".".join(path[1:] if where == "body" else [where, *path]), message)


def _detail(error: Exception, kind: _Kind, faults: Sequence[Fault]) -> str:
    if isinstance(error, RequestDataTooBig):
        return "The request's body is too large."
    if isinstance(error, (OperationalError, InterfaceError)):
        return "The database did not answer. Send the request again."
    if kind is _UNEXPECTED:
        return "The server failed at this request; its log tells more."
    if faults:
        return " ".join(f"{fault.field}: {fault.message}" if fault.field else fault.message for fault in faults[:5])
    if isinstance(error, ValidationError):
        return " ".join(error.messages)
    return str(error) or kind.status.description


def _with_headers(response: HttpResponse, error: Exception, status: HTTPStatus) -> HttpResponse:
    if status is HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = 'Bearer realm="beatkeeper"'
    seconds = getattr(error, "retry_after", _RETRY_SECONDS if _may_be_repeated(error, status) else None)
    if seconds is not None:
        response["Retry-After"] = str(max(1, math.ceil(seconds)))
    return response


def _may_be_repeated(error: Exception, status: HTTPStatus) -> bool:
    return isinstance(error, errors.BusyError) or status is HTTPStatus.SERVICE_UNAVAILABLE
