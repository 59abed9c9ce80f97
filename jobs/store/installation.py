"""What the database tells of the installation, for ``doctor``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jobs.store.statement import Statement

_FACTS = Statement("server_facts")
_STUCK = Statement("stuck_runs")
_MISSING = Statement("missing_days")
_UNSERVED = Statement("unserved_queues")


def server_facts() -> Any:
    """One row about the server; the statement's header names its columns."""
    return _FACTS.rows()[0]


def stuck_runs() -> Any:
    """One row of counts: not_reaped, not_sent, not_claimed."""
    return _STUCK.rows()[0]


def unserved_queues(known: Sequence[str], *, limit: int) -> list[str]:
    """Queues of waiting runs that are not among the known ones."""
    return [row.queue for row in _UNSERVED.rows(queues=list(known), limit=limit)]


def first_missing_day() -> int | None:
    """How many days ahead the first day without a partition is; None when all of the next 14 days have one."""
    rows = _MISSING.rows()
    return rows[0].days_ahead if rows else None
