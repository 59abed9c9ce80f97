"""What an endpoint's definition must be, and the headers and body of the jobs that call it."""

from __future__ import annotations

from typing import Any, Protocol

MAX_URL_LENGTH = 2000
MAX_TIMEOUT_SECONDS = 3600


class Definition(Protocol):
    """What is looked at; an ``Endpoint`` fits."""

    name: str
    description: str
    url: str
    headers: Any


def faults(endpoint: Definition) -> dict[str, str]:
    """The first fault of each field; empty when the definition can work."""
    return {}
