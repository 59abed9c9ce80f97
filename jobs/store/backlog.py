"""How much stands in each queue, for people. Every number stops at a bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from jobs.store.statement import Statement

_BACKLOG = Statement("backlog")


@dataclass(frozen=True, slots=True)
class Backlog:
    """Of one queue: due and not sent, sent and not claimed, claimed. ``is_held``: by a lease that goes on."""

    queue: str
    waiting: int
    oldest_waiting_at: datetime | None
    sent: int
    oldest_sent_at: datetime | None
    running: int
    is_held: bool


def backlog(queues: Sequence[str], *, limit: int) -> list[Backlog]:
    """In the order of ``queues``. ``limit`` means so many or more."""
    return [Backlog(*row) for row in _BACKLOG.rows(queues=list(queues), limit=limit)]
