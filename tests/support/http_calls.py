"""Calls for tests, and a way to make them through the pool's engine."""

from __future__ import annotations

from collections.abc import Sequence

from jobs.domain.answers import Answer, Failure
from jobs.targets.call import Call
from jobs.targets.multi import Multi
from tests.support.waiting import wait_until


def call_to(url: str, *, seconds: float = 20.0, body: bytes = b'{"run": "1-2"}', secrets: Sequence[str] = ()) -> Call:
    """A call as jobs make it."""
    headers = (("Content-Type", "application/json"), ("Idempotency-Key", "1-2"))
    return Call(url, headers, body, seconds, tuple(secrets))


def post_through_multi(call: Call) -> Answer | Failure:
    """The same as ``post``, by an engine of its own."""
    results: list[Answer | Failure] = []
    multi = Multi()
    multi.start()
    try:
        multi.submit(1, call, on_start=lambda: None, on_done=results.append)
        return wait_until(lambda: results, 30)[0]
    finally:
        multi.stop()
