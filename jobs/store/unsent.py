"""Find the runs that are to be sent, and mark those that were. Transactions are the callers'."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from jobs.domain.messages import RunKey
from jobs.store.arrays import array
from jobs.store.days import whole_days
from jobs.store.micros import key_of
from jobs.store.statement import Statement

_NEXT = Statement("next_unsent")
_UNSENT = Statement("unsent_runs")
_BY_KEY = Statement("unsent_runs_by_key")
_UNCLAIMED = Statement("count_unclaimed")
_MARK = Statement("mark_dispatched")
_MOVE = Statement("move_unsent")
_HOT = timedelta(days=2)
_AHEAD = timedelta(days=1)  # a due run's slot is not ahead, but for a clock that stepped back


@dataclass(frozen=True, slots=True)
class Horizon:
    """The slots a statement looks at, (since, until]: few partitions, or all."""

    since: datetime
    until: datetime

    @classmethod
    def hot(cls, now: datetime) -> Horizon:
        """The slots of the last two days."""
        return cls(now - _HOT, now + _AHEAD)

    @classmethod
    def whole(cls, now: datetime) -> Horizon:
        """Also older slots: backfills, and what an outage left behind."""
        return cls(datetime.min.replace(tzinfo=UTC), now + _AHEAD)


@dataclass(frozen=True, slots=True)
class Share:
    """The runs of one shard's jobs, of so many shards."""

    shard: int = 0
    shards: int = 1

    @property
    def is_first(self) -> bool:
        """Whether this shard's dispatcher also does what belongs to no shard."""
        return self.shard == 0


ALL = Share()


@dataclass(frozen=True, slots=True)
class NextUnsent:
    """The earliest unsent run of a queue and priority; ``now`` is the database's time when it was read."""

    queue: str
    run_after: datetime
    now: datetime


def next_unsent(queues: Sequence[str], horizon: Horizon, share: Share = ALL) -> list[NextUnsent]:
    """What is or will be to send."""
    rows = _NEXT.rows(queues=list(queues), **_bounds(horizon, share))
    return [NextUnsent(*row) for row in rows]


def unsent_runs(
    queue: str,
    *,
    limit: int,
    horizon: Horizon,
    but: Collection[RunKey] = (),
    share: Share = ALL,
    now: datetime | None = None,
) -> list[Any]:
    """Rows of runs to send now but these, by priority, longest due first."""
    left_out = {"but_job_id": array(key.job_id for key in but), "but_slot": array(key.scheduled_for for key in but)}
    return _UNSENT.rows(queue=queue, limit=limit, now=now, **left_out, **_bounds(horizon, share))


def unsent_runs_by_key(keys: Sequence[RunKey]) -> list[Any]:
    """Rows of those of the runs that are to be sent now."""
    return _BY_KEY.rows(**_arrays(keys)) if keys else []


def count_unclaimed(queue: str, *, limit: int, horizon: Horizon, share: Share = ALL) -> int:
    """How many runs of the queue are dispatched and not claimed, at most ``limit``."""
    count: int = _UNCLAIMED.rows(queue=queue, limit=limit, **_bounds(horizon, share))[0].unclaimed
    return count


def mark_dispatched(sent: Sequence[tuple[RunKey, int]]) -> list[RunKey]:
    """Mark runs, each with the token that was published; returns those that have changed or that someone holds."""
    if not sent:
        return []
    rows = _MARK.rows(**_arrays([key for key, _ in sent]), token=array(token for _, token in sent))
    return [key_of(row) for row in rows]


def move_unsent(strays: Sequence[tuple[Any, str]]) -> int:
    """Move runs, rows as read here, to other queues; returns how many had not changed since they were read."""
    if not strays:
        return 0
    return _MOVE.run(
        **_arrays([key_of(row) for row, _ in strays]),
        token=array(row.token for row, _ in strays),
        queue=array(row.queue for row, _ in strays),
        new_queue=array(queue for _, queue in strays),
    )


def _bounds(horizon: Horizon, share: Share) -> dict[str, Any]:
    return {"since": horizon.since, "until": horizon.until, "shard": share.shard, "shards": share.shards}


def _arrays(keys: Sequence[RunKey]) -> dict[str, Any]:
    slots = [key.scheduled_for for key in keys]
    return {"job_id": array(key.job_id for key in keys), "scheduled_for": array(slots), **whole_days(slots)}
