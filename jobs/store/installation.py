"""What the database tells of the installation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jobs.store.statement import Statement

_FACTS = Statement("server_facts")
_MISSING = Statement("missing_days")
_UNSERVED = Statement("unserved_queues")


def server_facts() -> Any:
    """One row about the server; the statement's header names its columns."""
    return _FACTS.rows()[0]


def unserved_queues(known: Sequence[str], *, limit: int) -> list[str]:
    """Queues of waiting runs that are not among the known ones."""
    return [row.queue for row in _UNSERVED.rows(queues=list(known), limit=limit)]


def missing_days() -> list[int]:
    """The days without a partition, from today to 14 ahead, as days ahead."""
    return [row.days_ahead for row in _MISSING.rows()]
