"""Answer a request, and the same request again with the same answer (Idempotency-Key)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import Annotated

from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Header

from jobs.api.callers import token_of
from jobs.errors import InvalidFieldError
from jobs.services.answer_once import Answer, answer_once

_KEY = re.compile(r"[\x21-\x7e]{1,255}")
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="Any unique text. The same request, sent again with it within 24 h, has one effect and one answer.",
        pattern=r"^[\x21-\x7e]{1,255}$",
    ),
]


def once(
    request: HttpRequest,
    key: str | None,
    work: Callable[[], Answer],
    *,
    check: Callable[[], object],
    owner: str | None = None,
) -> HttpResponse:
    """Do the work and answer; with a key, in one transaction with it, the answer that the key's first request got.

    That one is given only while the token still reaches what it tells of: ``check`` raises NotFoundError when it does
    not. The key is one of ``owner``, else of the request's token.
    """
    if key is None:
        return as_response(work())
    if not _KEY.fullmatch(key):
        raise InvalidFieldError("header.Idempotency-Key", "An Idempotency-Key is 1 to 255 visible ASCII characters.")
    return as_response(answer_once(owner or token_of(request).owner, key, _fingerprint(request), work, check=check))


def as_response(answer: Answer) -> HttpResponse:
    """The answer as JSON; 204 has no body."""
    response = HttpResponse() if answer.status == 204 else JsonResponse(answer.body, safe=False)
    response.status_code = answer.status
    for name, value in answer.headers.items():
        response[name] = value
    return response


def _fingerprint(request: HttpRequest) -> str:
    parts = (request.method or "", request.get_full_path(), request.headers.get("If-Match", ""))
    digest = hashlib.sha256("\n".join(parts).encode())
    digest.update(b"\n" + request.body)
    return digest.hexdigest()
