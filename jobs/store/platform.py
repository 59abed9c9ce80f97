"""What the tables tell of the platform: bounded statements, however many runs there are."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from jobs.domain.platform import COUNTED
from jobs.store.dead import Window
from jobs.store.statement import Statement

_SHARDS = Statement("shards")
_EXPIRED = Statement("expired_leases")
_NEWEST = Statement("newest_runs")
_DEAD = Statement("count_recent_dead")
_GROUPS = 100
_DAY = timedelta(days=1)


def shards(count: int) -> list[Any]:
    """A row a shard: its leader as it wrote itself, and the statement's time."""
    return _SHARDS.rows(shards=count)


def expired_leases() -> Any:
    """One row: expired, oldest."""
    return _EXPIRED.rows(limit=COUNTED)[0]


def newest_runs(now: datetime) -> list[Any]:
    """A row a status of the newest runs; none where there are no runs."""
    return _NEWEST.rows(lo=now - _DAY, hi=now + _DAY, limit=COUNTED)


def count_recent_dead(now: datetime) -> int:
    """Dead runs with a slot in the last 24 hours, of 100 kinds of error at most."""
    since = now - _DAY
    days = Window.from_day_of(since, now=now)
    row = _DEAD.rows(day=days.since, since=since, until=days.until, limit=COUNTED, groups=_GROUPS)[0]
    runs: int = row.runs
    return runs
