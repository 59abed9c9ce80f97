"""How the platform does, in a few lines: who leads, and what stands in the queues. Three bounded statements."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from jobs.admin import formats
from jobs.conf import config
from jobs.models import Leader, Marker
from jobs.store.backlog import LIMIT, Backlog, backlog
from jobs.store.clock import database_now

# A marker goes through each queue once a minute even while none comes back; this allows for a few that are late.
_MARKERS_LATE = timedelta(minutes=3)


@dataclass(frozen=True, slots=True)
class LeaderLine:
    """``lamp`` is ``on`` or ``off``; the words say the same."""

    lamp: str
    words: str
    detail: str


@dataclass(frozen=True, slots=True)
class QueueLine:
    """Of one queue. ``lamp``: whether a worker takes from it."""

    name: str
    lamp: str
    words: str
    note: str


@dataclass(frozen=True, slots=True)
class PlatformNow:
    """What ``platform.html`` shows."""

    leaders: list[LeaderLine]
    queues: list[QueueLine]


def platform_now() -> PlatformNow:
    """Read by the database's clock, since its own times are compared."""
    now, limits = database_now(), config()
    markers = {marker.queue: marker for marker in Marker.objects.filter(queue__in=limits.queues)}
    leaders = [_leader(leader, now, limits.term_ttl) for leader in Leader.objects.order_by("shard")]
    return PlatformNow(
        leaders or [LeaderLine("off", "No leader", "Nothing is emitted: start celery beat.")],
        [_queue(found, markers.get(found.queue), now) for found in backlog(limits.queues)],
    )


def _leader(leader: Leader, now: datetime, ttl_seconds: float) -> LeaderLine:
    if leader.ticked_at is None:
        return LeaderLine("off", "No leader yet", "Nothing is emitted: start celery beat.")
    tick = f"ticked {formats.relative(leader.ticked_at, now)}"
    if now - leader.ticked_at > timedelta(seconds=ttl_seconds):
        return LeaderLine("off", "No leader", f"{leader.host} last {tick}. Nothing is emitted: start celery beat.")
    since = f", for {formats.duration(now - leader.elected_at)}" if leader.elected_at else ""
    return LeaderLine("on", f"Leader {leader.host}", f"{tick}, term {leader.term}{since}")


def _queue(found: Backlog, marker: Marker | None, now: datetime) -> QueueLine:
    is_consumed = marker is not None and marker.returned_at is not None and marker.returned_at > now - _MARKERS_LATE
    return QueueLine(
        found.queue,
        "on" if is_consumed else "off",
        _in_words(found),
        note="" if is_consumed else "no worker has taken anything lately",
    )


def _in_words(found: Backlog) -> str:
    numbers = (("running", found.running), ("sent", found.sent), ("waiting", found.waiting))
    return ", ".join(f"{_capped(number)} {word}" for word, number in numbers if number) or "idle"


def _capped(number: int) -> str:
    return f"{LIMIT:,} or more" if number >= LIMIT else f"{number:,}"
