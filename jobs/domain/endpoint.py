"""What an endpoint's definition must be, whatever path writes it: the first fault of each field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol
from urllib.parse import parse_qsl, urlsplit

from jobs.domain.definition import name_fault
from jobs.domain.endpoint_url import MAX_URL_LENGTH, Networks, ascii_url, url_fault
from jobs.domain.http_headers import headers_fault
from jobs.domain.json_value import text_fault
from jobs.domain.limits import LONGEST_CALL_SECONDS, Range
from jobs.domain.masking import is_secret_key

__all__ = [
    "JUDGED",
    "MAX_TIMEOUT_SECONDS",
    "MAX_URL_LENGTH",
    "Definition",
    "ascii_url",
    "disabled_caution",
    "faults",
    "url_caution",
]

MAX_TIMEOUT_SECONDS = LONGEST_CALL_SECONDS
# Fields of which every fault is found here, so that nobody else need look at them.
JUDGED = frozenset({"name", "description", "url", "timeout_seconds", "headers"})
# Names in a query that only in a URL are those of secrets: of functions, storage and webhooks.
_URL_SECRETS = frozenset({"key", "code", "sig", "signature", "auth"})
_TIMEOUT = Range(1, MAX_TIMEOUT_SECONDS, "The deadline of a whole call, in seconds.")


class Definition(Protocol):
    """What is looked at; an ``Endpoint`` fits."""

    name: str
    description: str
    url: str
    timeout_seconds: int
    headers: Any


def faults(endpoint: Definition, *, allowed: Networks) -> dict[str, str]:
    """The first fault of each field; empty when the definition can work. ``allowed``: networks that may be called
    though they are not public."""
    found: dict[str, str] = {}
    for field, message in _faults(endpoint, allowed):
        found.setdefault(field, message)
    return found


def url_caution(url: str) -> str:
    """What to say of a URL that carries a secret, by the names in its query; empty when none tells."""
    names = (name for name, _ in parse_qsl(urlsplit(url).query, keep_blank_values=False))
    found = ", ".join(dict.fromkeys(name for name in names if is_secret_key(name) or name.lower() in _URL_SECRETS))
    if not found:
        return ""
    return (
        f"The URL carries what looks like a secret ({found}). URLs are stored and shown as they are, to all who see "
        "the endpoint, and stand in the logs of servers on the way. If the receiver takes a header, enter it under "
        "Secret headers."
    )


def disabled_caution(name: str, *, what: str = "runs that start now") -> str:
    """What to say of a job whose endpoint is disabled."""
    return f'Endpoint "{name}" is disabled: {what} are dead at once. Enable it, then replay them.'


def _faults(endpoint: Definition, allowed: Networks) -> Iterator[tuple[str, str]]:
    for field in ("name", "description", "url"):
        if not isinstance(getattr(endpoint, field), str):
            yield field, f"{field} {getattr(endpoint, field)!r} must be a text."
            return
    if problem := name_fault(endpoint.name):
        yield "name", problem
    if problem := text_fault(endpoint.description):
        yield "description", f"description {problem}"
    if problem := url_fault(endpoint.url, allowed=allowed):
        yield "url", problem
    if problem := _TIMEOUT.fault("timeout_seconds", endpoint.timeout_seconds):
        yield "timeout_seconds", problem
    if problem := headers_fault(endpoint.headers):
        yield "headers", problem
