"""What an endpoint's definition must be, whatever path writes it: the first fault of each field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from jobs.domain.definition import NAME
from jobs.domain.endpoint_url import MAX_URL_LENGTH, Networks, ascii_url, url_fault
from jobs.domain.http_headers import headers_fault
from jobs.domain.json_value import text_fault
from jobs.domain.limits import LONGEST_CALL_SECONDS, Range

__all__ = ["JUDGED", "MAX_TIMEOUT_SECONDS", "MAX_URL_LENGTH", "Definition", "ascii_url", "disabled_caution", "faults"]

MAX_TIMEOUT_SECONDS = LONGEST_CALL_SECONDS
# Fields of which every fault is found here, so that nobody else need look at them.
JUDGED = frozenset({"name", "description", "url", "timeout_seconds", "headers"})
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


def disabled_caution(name: str) -> str:
    """What to say of a job whose endpoint is disabled."""
    return f'Endpoint "{name}" is disabled: runs that start now are dead at once. Enable it, then replay them.'


def _faults(endpoint: Definition, allowed: Networks) -> Iterator[tuple[str, str]]:
    for field in ("name", "description", "url"):
        if not isinstance(getattr(endpoint, field), str):
            yield field, f"{field} {getattr(endpoint, field)!r} must be a text."
            return
    if not NAME.fullmatch(endpoint.name):
        yield "name", f'Name "{endpoint.name}" may hold only a-z, 0-9, dot, underscore and hyphen, 1 to 100 of them.'
    if problem := text_fault(endpoint.description):
        yield "description", f"description {problem}"
    if problem := url_fault(endpoint.url, allowed=allowed):
        yield "url", problem
    if problem := _TIMEOUT.fault("timeout_seconds", endpoint.timeout_seconds):
        yield "timeout_seconds", problem
    if problem := headers_fault(endpoint.headers):
        yield "headers", problem
