"""How the platform does, as any process that reaches the database can tell: nothing here asks the leader, a worker or
the broker, so it holds when one of them is stuck.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from importlib.metadata import version
from typing import Any

from django.db import connection

from jobs.conf import Config, config
from jobs.domain.platform import (
    COUNTED,
    BrokerFacts,
    BrokerState,
    LeaseFacts,
    PartitionFacts,
    PlatformFacts,
    QueueFacts,
    RecentFacts,
    ShardFacts,
    ShardNumbers,
    ZoneFacts,
)
from jobs.domain.problems import SILENT_SECONDS, Patience, Problem, problems, verdict
from jobs.domain.schedules import tzdata_version
from jobs.models import Marker
from jobs.store import broker_trace, state
from jobs.store import platform as tables
from jobs.store.backlog import Backlog, backlog
from jobs.store.installation import missing_days, unserved_queues
from jobs.version import VERSION

# In units of MARKER. One goes through each queue at every unit, and every fourth while none comes back.
_MARKERS_LATE = 12
_UNCLAIMED = 2
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class PlatformStatus:
    """The facts, and what is wrong."""

    facts: PlatformFacts
    problems: tuple[Problem, ...]

    @property
    def status(self) -> str:
        """``ok``, ``degraded`` or ``down``."""
        return verdict(self.problems)


def platform_status() -> PlatformStatus:
    """Read it all, in nine bounded statements."""
    limits = config()
    facts = _facts(limits)
    patience = Patience(unclaimed=_UNCLAIMED * limits.marker, lease_over=2 * limits.lease + 60)
    return PlatformStatus(facts, problems(facts, patience))


def partition_facts() -> PartitionFacts:
    """Which days ahead the run table lacks."""
    missing = missing_days()
    return PartitionFacts(len(missing), missing[0] if missing else None)


def _facts(limits: Config) -> PlatformFacts:
    written = state.get_many([state.BROKER, state.TZDATA_VERSION, state.SHARDS])
    numbers = ShardNumbers(limits.shards, written.get(state.SHARDS, 1))
    rows = tables.shards(numbers.written)
    now = rows[0].now
    broker, blocked = _broker(written.get(state.BROKER), now)
    expired = tables.expired_leases()
    return PlatformFacts(
        now=now,
        shards=tuple(_shard(row, limits) for row in rows),
        queues=tuple(_queues(now, limits, broker, blocked)),
        broker=broker,
        leases=LeaseFacts(expired.expired, _age(expired.oldest, now)),
        partitions=partition_facts(),
        recent=_recent(tables.newest_runs(now)),
        zone_rules=ZoneFacts(tzdata_version(), written.get(state.TZDATA_VERSION)),
        shard_numbers=numbers,
        dead_runs=tables.count_recent_dead(now),
        unknown_queues=tuple(unserved_queues(limits.queues, limit=_SHOWN)),
        versions={**_versions(), "postgresql": _server_version()},
    )


def _shard(row: Any, limits: Config) -> ShardFacts:
    silent = _age(row.ticked_at, row.now)
    return ShardFacts(
        shard=row.shard,
        term=row.term or 0,
        host=row.host or "",
        elected_at=row.elected_at,
        ticked_at=row.ticked_at,
        seconds_since_election=_age(row.elected_at, row.now),
        seconds_since_tick=silent,
        emission_late_seconds=_age(row.next_due, row.now) or 0.0,
        is_leading=silent is not None and silent <= limits.term_ttl,
    )


def _broker(value: Any, now: datetime) -> tuple[BrokerFacts, Mapping[str, str]]:
    """What a dispatcher told, unless that is too old to go by; and of each queue that takes nothing, why."""
    told = broker_trace.read(value)
    if told is None:
        return BrokerFacts(), {}
    trace, since, seen_at = told
    age = _age(seen_at, now) or 0.0
    if age > SILENT_SECONDS:
        return BrokerFacts(seen_at=seen_at, seconds_since_seen=age), {}
    return BrokerFacts(trace.state, trace.because, since, seen_at, age), trace.queues


def _queues(now: datetime, limits: Config, broker: BrokerFacts, blocked: Mapping[str, str]) -> Sequence[QueueFacts]:
    markers = {marker.queue: marker for marker in Marker.objects.filter(queue__in=limits.queues)}
    is_closed = broker.state in (BrokerState.BLOCKED, BrokerState.AWAY)
    found = []
    for item in backlog(limits.queues, limit=COUNTED):
        because = broker.because if is_closed else blocked.get(item.queue, "")
        marker = markers.get(item.queue) or Marker()
        found.append(_queue(item, marker, now, limits, is_blocked=is_closed or bool(because), because=because))
    return found


def _queue(
    found: Backlog, marker: Marker, now: datetime, limits: Config, *, is_blocked: bool, because: str
) -> QueueFacts:
    return QueueFacts(
        name=found.queue,
        waiting=found.waiting,
        oldest_waiting_seconds=_age(found.oldest_waiting_at, now),
        sent=found.sent,
        oldest_sent_seconds=_age(found.oldest_sent_at, now),
        running=found.running,
        marker_sent_at=marker.sent_at,
        marker_returned_at=marker.returned_at,
        seconds_since_marker=_age(marker.returned_at, now),
        is_consumed=found.is_held or _came_back(marker, found.oldest_sent_at, now, limits.marker),
        is_full=found.sent >= min(COUNTED, limits.shard_window),
        is_blocked=is_blocked,
        blocked_because=because,
    )


def _came_back(marker: Marker, oldest_sent_at: datetime | None, now: datetime, unit: float) -> bool:
    """Whether a marker came back lately. None since the longest waiting message was sent: no longer believed."""
    if marker.returned_at is None or (now - marker.returned_at) / timedelta(seconds=unit) > _MARKERS_LATE:
        return False
    is_overtaken = oldest_sent_at is not None and marker.returned_at < oldest_sent_at
    return not (is_overtaken and (_age(oldest_sent_at, now) or 0.0) > _UNCLAIMED * unit)


def _recent(rows: Sequence[Any]) -> RecentFacts:
    by_status = {row.status: row.runs for row in rows}
    if not rows:
        return RecentFacts()
    return RecentFacts(by_status, rows[0].starts, rows[0].median, rows[0].p99)


@cache
def _versions() -> dict[str, str]:
    packages = {name: version(name) for name in ("django", "celery")}
    return {"beatkeeper": VERSION, **packages, "python": platform.python_version()}


def _server_version() -> str:
    number: int = connection.connection.info.server_version
    return f"{number // 10_000}.{number % 10_000}"


def _age(then: datetime | None, now: datetime) -> float | None:
    """Seconds, rounded to milliseconds; never below 0, since some things are read a moment after ``now``."""
    return None if then is None else max(0.0, round((now - then) / timedelta(seconds=1), 3))
