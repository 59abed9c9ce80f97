"""Do the work of a request once, however often it is sent.

The key's row is inserted first, in the transaction of the work. A second request with the key waits at the unique
index until the first has committed, and then finds its answer; when the first rolled back or died, neither key nor work
is there, and the second does it. So no key stands for work that is lost, and there is no "in progress" to get stuck in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import OperationalError, transaction
from psycopg.errors import LockNotAvailable

from jobs.errors import BusyError, KeyReusedError
from jobs.store import idempotency_keys

PATIENCE_SECONDS = 5
LIFETIME_HOURS = 24


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request was answered: status, JSON body, headers by name."""

    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)


def answer_whole(work: Callable[[], Answer]) -> Answer:
    """The answer of ``work``, all of it in one transaction."""
    with transaction.atomic():
        return work()


def answer_once(
    owner: str, key: str, fingerprint: str, work: Callable[[], Answer], *, check: Callable[[], object]
) -> Answer:
    """The answer of ``work``, or that of the first request with this key if ``check`` does not refuse it.

    KeyReusedError: the key came with another request. BusyError: the first is still at work after five seconds. What
    ``work`` raises is kept for nobody: the request may be sent again.
    """
    with transaction.atomic():
        if not _take(owner, key, fingerprint):
            answer = _first_answer(owner, key, fingerprint)
            check()
            return answer
        done = work()
        idempotency_keys.fill(owner, key, status=done.status, headers=done.headers, body=done.body)
        return done


def _take(owner: str, key: str, fingerprint: str) -> bool:
    try:
        return idempotency_keys.take(
            owner, key, fingerprint, lifetime_hours=LIFETIME_HOURS, patience_seconds=PATIENCE_SECONDS
        )
    except OperationalError as error:
        if isinstance(error.__cause__, LockNotAvailable):
            raise BusyError(f'The first request with the key "{key}" is still at work. Send this one again.') from error
        raise


def _first_answer(owner: str, key: str, fingerprint: str) -> Answer:
    row = idempotency_keys.read(owner, key)
    if row.fingerprint != fingerprint:
        raise KeyReusedError(
            f'The key "{key}" came with another request before. Send the same method, path and body, or a new key.'
        )
    return Answer(row.status, row.body, row.headers)
