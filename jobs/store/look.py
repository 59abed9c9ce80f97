"""One look at what there is to do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from jobs.store.prepared import PreparedStatement

_LOOK = PreparedStatement("look")


@dataclass(frozen=True, slots=True)
class Look:
    """What a tick found. ``next_due``: when the earliest cursor is due."""

    now: datetime
    next_due: datetime | None
    is_unplanned: bool
    is_uncounted: bool
    is_lease_lost: bool
    is_missed: bool
    is_unannounced: bool = False

    @property
    def is_due(self) -> bool:
        return self.next_due is not None and self.next_due <= self.now


def look(shard: int, *, lease_seconds: float, lo: datetime, hi: datetime) -> Look:
    """What there is to do in a shard; runs are looked at in a range of scheduled_for."""
    return Look(*_LOOK.rows(shard=shard, lease_seconds=lease_seconds, lo=lo, hi=hi)[0])
