"""What is known of the markers of each queue. Transactions are the callers'."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from jobs.store.statement import Statement
from jobs.store.unsent import Horizon

_SENT = Statement("record_marker_sent")
_RETURNED = Statement("record_marker_returned")
_CLEAR = Statement("clear_unreturned")


def record_sent(queue: str) -> Any:
    """A row (sent_at, is_coming_back) for the marker that is about to be sent."""
    return _SENT.rows(queue=queue)[0]


def record_returned(queue: str, sent_at: datetime) -> bool:
    """False for a marker that was never sent."""
    return _RETURNED.run(queue=queue, sent_at=sent_at) > 0


def clear_unreturned(*, margin: timedelta, horizon: Horizon, limit: int) -> list[str]:
    """Make runs whose messages are lost unsent again; their queues, one element a run."""
    rows = _CLEAR.rows(margin=margin, since=horizon.since, until=horizon.until, limit=limit)
    return [row.queue for row in rows]
