"""A server of one's own words: answers in order, and what was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import httpx

from jobs.client import Client, RetryPolicy

TOKEN = "bk_" + "t" * 43
AT_ONCE = RetryPolicy(tries=5, base_seconds=0.0)
KEY = "7-1767225600000000"
Answer = httpx.Response | Exception


@dataclass
class Server:
    """Gives the next answer to each request; an exception is a connection that breaks."""

    answers: Iterable[Answer | Callable[[httpx.Request], Answer]]
    requests: list[httpx.Request] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._next = iter(self.answers)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = next(self._next)
        found = answer(request) if callable(answer) else answer
        if isinstance(found, Exception):
            raise found
        return found

    def client(self, retry: RetryPolicy = AT_ONCE) -> Client:
        return Client("http://server.test", TOKEN, retry=retry, transport=httpx.MockTransport(self))


def operation(status: str, **more: Any) -> dict[str, Any]:
    """An operation as the API tells it."""
    metadata = {"run": KEY, "job": "job", "status": status}
    return {"name": f"op_{KEY}", "done": status not in ("queued", "running"), "metadata": metadata, **more}


def problem(status: int, name: str, headers: dict[str, str] | None = None, **more: Any) -> httpx.Response:
    """A problem document as the API tells it."""
    document = {"type": f"urn:beatkeeper:problem:{name}", "title": "T", "status": status, "detail": "Why.", **more}
    return httpx.Response(status, json=document, headers=headers)
