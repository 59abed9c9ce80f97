"""Markers: learn what still stands in each queue, without asking the broker.

A marker goes through a queue behind the runs before it. When one that was sent at T comes back, every run that was
dispatched well before T has been handed to a worker; one that is still unclaimed has no message, and goes again. While
none comes back there is backlog or no worker, and nothing is sent again. So a broker that lost everything loses no run.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from jobs import log
from jobs.broker.encoding import Content, marker
from jobs.conf import config
from jobs.models import Marker
from jobs.store import markers
from jobs.store.unsent import Horizon

MARGIN = timedelta(seconds=30)  # a run handed to a worker is claimed well within it
_AT_ONCE_MAX = 1000


@dataclass(frozen=True, slots=True)
class SentMarker:
    """A marker about to be published, and whether the one before it has come back."""

    content: Content
    is_coming_back: bool


def record_sent(queue: str) -> SentMarker:
    """Note a marker by the database's clock and build its message."""
    row = markers.record_sent(queue)
    return SentMarker(marker(queue, row.sent_at), row.is_coming_back)


def record_returned(queue: str, sent_at: datetime) -> None:
    """A worker got the marker, after everything that stood before it."""
    if not markers.record_returned(queue, sent_at):
        log.warning("marker.unknown", queue=queue, sent_at=sent_at.isoformat())


def clear_lost(horizon: Horizon) -> int:
    """Let runs whose messages are lost go again; returns how many. A batch a statement, each its own transaction."""
    total = 0
    while queues := markers.clear_unreturned(margin=MARGIN, horizon=horizon, limit=_AT_ONCE_MAX):
        total += len(queues)
        for queue in sorted(set(queues)):
            log.warning("marker.runs_lost", queue=queue, runs=queues.count(queue))
    return total


def queues_consumed() -> dict[str, datetime | None]:
    """When a marker last came back through each configured queue; None where none ever did."""
    returned = dict(Marker.objects.values_list("queue", "returned_at"))
    return {queue: returned.get(queue) for queue in config().queues}
