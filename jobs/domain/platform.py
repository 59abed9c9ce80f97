"""What the parts of the platform have written of themselves, read together. Facts alone: :mod:`jobs.domain.problems`
judges them. A count stops at ``COUNTED``, which means so many or more; ages are in seconds by the database's clock, and
None where the thing never was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

COUNTED = 1_000


class BrokerState(StrEnum):
    """The broker, as the leader's dispatcher sees it. Unknown: no dispatcher has told of it lately."""

    CONNECTED = "connected"
    BLOCKED = "blocked"
    AWAY = "away"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ShardFacts:
    """Who leads. ``emission_late_seconds``: how long the longest due slot has not become a run."""

    shard: int
    term: int = 0
    host: str = ""
    elected_at: datetime | None = None
    ticked_at: datetime | None = None
    seconds_since_election: float | None = None
    seconds_since_tick: float | None = None
    emission_late_seconds: float = 0.0
    is_leading: bool = False


@dataclass(frozen=True, slots=True)
class QueueFacts:
    """What stands in a queue: due and not sent, sent and not claimed, claimed. ``is_full``: no more is sent for now."""

    name: str
    waiting: int = 0
    oldest_waiting_seconds: float | None = None
    sent: int = 0
    oldest_sent_seconds: float | None = None
    running: int = 0
    marker_sent_at: datetime | None = None
    marker_returned_at: datetime | None = None
    seconds_since_marker: float | None = None
    is_consumed: bool = False
    is_full: bool = False
    is_blocked: bool = False
    blocked_because: str = ""


@dataclass(frozen=True, slots=True)
class BrokerFacts:
    """``seconds_since_seen``: since the dispatcher last told of it."""

    state: BrokerState = BrokerState.UNKNOWN
    because: str = ""
    since: datetime | None = None
    seen_at: datetime | None = None
    seconds_since_seen: float | None = None


@dataclass(frozen=True, slots=True)
class LeaseFacts:
    """Runs whose lease is over and that nobody has reaped yet."""

    expired: int = 0
    oldest_expired_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class PartitionFacts:
    """Days from today to 14 ahead that the run table has no partition for; the first as days ahead."""

    missing: int = 0
    first_missing: int | None = None


@dataclass(frozen=True, slots=True)
class RecentFacts:
    """The newest runs, 1,000 at most: how they stand, and how long after they were due their first attempts of the last
    minute started."""

    by_status: Mapping[str, int] = field(default_factory=dict)
    starts: int = 0
    start_delay_median_seconds: float | None = None
    start_delay_p99_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ZoneFacts:
    """Versions of the time zone rules: of this process, and those that the leader plans by."""

    here: str = ""
    leader: str | None = None


@dataclass(frozen=True, slots=True)
class ShardNumbers:
    """How many shards: by this process's settings, and what the jobs are divided into."""

    here: int = 1
    written: int = 1


@dataclass(frozen=True, slots=True)
class PlatformFacts:
    """All that is known. ``dead_runs``: with a slot in the last 24 hours."""

    now: datetime
    shards: tuple[ShardFacts, ...]
    queues: tuple[QueueFacts, ...]
    broker: BrokerFacts = BrokerFacts()
    leases: LeaseFacts = LeaseFacts()
    partitions: PartitionFacts = PartitionFacts()
    recent: RecentFacts = RecentFacts()
    zone_rules: ZoneFacts = ZoneFacts()
    shard_numbers: ShardNumbers = ShardNumbers()
    dead_runs: int = 0
    unknown_queues: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
