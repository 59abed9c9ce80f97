"""How the platform does, in a few lines: who leads, what stands in the queues, and what is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from jobs.admin import formats
from jobs.domain.platform import COUNTED, PlatformFacts, QueueFacts, ShardFacts
from jobs.domain.problems import Code, Problem
from jobs.services.platform import platform_status

_SAID_BY_THE_LEADERS_LINE = (Code.LEADER_MISSING, Code.LEADER_SILENT)


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
    problems: list[Problem]


def platform_now() -> PlatformNow:
    """What every process can tell of the platform."""
    status = platform_status()
    return PlatformNow(
        [_leader(shard, status.facts) for shard in status.facts.shards],
        [_queue(queue) for queue in status.facts.queues],
        [problem for problem in status.problems if problem.code not in _SAID_BY_THE_LEADERS_LINE],
    )


def _leader(shard: ShardFacts, facts: PlatformFacts) -> LeaderLine:
    of_shard = f" of shard {shard.shard}" if len(facts.shards) > 1 else ""
    if shard.ticked_at is None:
        return LeaderLine("off", f"No leader{of_shard} yet", "Nothing is emitted: start celery beat.")
    tick = f"ticked {formats.relative(min(shard.ticked_at, facts.now), facts.now)}"
    if not shard.is_leading:
        return LeaderLine(
            "off", f"No leader{of_shard}", f"{shard.host} last {tick}. Nothing is emitted: start celery beat."
        )
    since = _span(shard.seconds_since_election)
    detail = f"{tick}, term {shard.term}{f', for {since}' if since else ''}"
    return LeaderLine("on", f"Leader{of_shard} {shard.host}", detail)


def _queue(queue: QueueFacts) -> QueueLine:
    return QueueLine(
        queue.name,
        "on" if queue.is_consumed else "off",
        _in_words(queue),
        note="" if queue.is_consumed else "no worker has taken anything lately",
    )


def _in_words(queue: QueueFacts) -> str:
    numbers = (("running", queue.running), ("sent", queue.sent), ("waiting", queue.waiting))
    return ", ".join(f"{_capped(number)} {word}" for word, number in numbers if number) or "idle"


def _capped(number: int) -> str:
    return f"{COUNTED:,} or more" if number >= COUNTED else f"{number:,}"


def _span(seconds: float | None) -> str:
    return "" if seconds is None else formats.duration(timedelta(seconds=seconds))
