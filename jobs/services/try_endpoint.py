"""Call an endpoint once, by hand, the way runs call it: the same headers, signature, egress guard and bounds."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from jobs import clock, log
from jobs.domain.answers import Answer, Failure
from jobs.domain.http_body import Facts
from jobs.domain.masking import MASK
from jobs.models import Endpoint
from jobs.store.http_targets import Target, target_of
from jobs.targets.call import Call
from jobs.targets.compose import compose
from jobs.targets.curl import post

LONGEST_SECONDS = 10.0
JOB = "test"


@dataclass(frozen=True, slots=True)
class Trial:
    """What was sent, with the values of secret headers masked, and what came of it."""

    url: str
    headers: tuple[tuple[str, str], ...]
    body: str
    result: Answer | Failure


def try_endpoint(endpoint: Endpoint, body: Any) -> Trial:
    """POST a body, or None for the standard one; also to a disabled endpoint, which is how one sees that it is mended.

    Opens no transaction and must be called in none (I9). UnreadableSecretError when its secrets cannot be read.
    """
    now = clock.utcnow()
    facts = Facts(run=f"test-{secrets.token_hex(8)}", job=JOB, scheduled_for=now.replace(microsecond=0), attempt=1)
    call = compose(_target(endpoint, body), facts, timestamp=int(now.timestamp()))
    result = post(call)
    log.event("endpoint.tried", endpoint=endpoint.name, call=facts.run, result=in_words(result))
    return Trial(call.url, tuple(_masked(call)), call.body.decode(), result)


def in_words(result: Answer | Failure) -> str:
    """Status or kind of failure and the time it took: nothing of what was sent or answered."""
    what = f"HTTP {result.status}" if isinstance(result, Answer) else str(result.kind)
    return f"{what} in {result.seconds:.2f} s"


def _target(endpoint: Endpoint, body: Any) -> Target:
    target = target_of(endpoint, body)
    return target._replace(enabled=True, seconds=min(target.seconds, LONGEST_SECONDS))


def _masked(call: Call) -> Iterator[tuple[str, str]]:
    for name, value in call.headers:
        yield name, MASK if value in call.secrets else value
