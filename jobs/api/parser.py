"""Read request bodies: JSON alone, within a bound, and nothing that would not come back equal."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja.parser import Parser

from jobs.conf import config
from jobs.domain.json_value import json_fault, parse_json
from jobs.errors import InvalidFieldError, LengthRequiredError, TooLargeError

_BODY_PER_PAYLOAD = 3  # args, kwargs and a body may each be at the limit


class StrictParser(Parser):
    """JSON as RFC 8259 has it: no NaN, no key twice, no half characters, not too deep."""

    def parse_body(self, request: HttpRequest) -> Any:
        """The body's value; InvalidFieldError or TooLargeError."""
        limit = config().payload_max * _BODY_PER_PAYLOAD
        size = int(request.META.get("CONTENT_LENGTH") or 0)
        if size > limit or len(request.body) > limit:
            raise TooLargeError(f"The request's body has {size:,} bytes; {limit:,} are allowed.")
        _check_type(request)
        value = parse_json(_text(request.body), "body")
        if problem := json_fault(value, limit=limit * 2):
            raise InvalidFieldError("body", problem)
        return value


def require_length(request: HttpRequest) -> None:
    """LengthRequiredError for a body in chunks: Django would take it for an empty one."""
    if request.headers.get("Transfer-Encoding") and not request.headers.get("Content-Length"):
        raise LengthRequiredError("The body comes in chunks (Transfer-Encoding). Send it with a Content-Length.")


def read_json(request: HttpRequest) -> Any:
    """The JSON of a request, for a team's own view: InvalidFieldError or TooLargeError in place of odd values."""
    require_length(request)
    return StrictParser().parse_body(request)


def _check_type(request: HttpRequest) -> None:
    if request.content_type != "application/json":
        shown = request.content_type or "no type"
        raise InvalidFieldError("header.Content-Type", f"The body is {shown}; send Content-Type: application/json.")


def _text(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise InvalidFieldError("body", f"The body is not UTF-8: {error.reason} at byte {error.start}.") from error
