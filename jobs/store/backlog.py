"""How much stands in each queue, for people. Every number stops at a bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jobs.store.statement import Statement

LIMIT = 1_000
_BACKLOG = Statement("backlog")


@dataclass(frozen=True, slots=True)
class Backlog:
    """Of one queue: due and not sent, sent and not claimed, claimed. ``LIMIT`` means so many or more."""

    queue: str
    waiting: int
    sent: int
    running: int


def backlog(queues: Sequence[str]) -> list[Backlog]:
    """In the order of ``queues``."""
    return [Backlog(*row) for row in _BACKLOG.rows(queues=list(queues), limit=LIMIT)]
