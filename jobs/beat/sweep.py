"""Which slots a round looks at: few partitions, and now and then all."""

from __future__ import annotations

import math
from datetime import datetime

from jobs.clock import monotonic
from jobs.store.clock import database_now
from jobs.store.unsent import Horizon

_SWEEP_SECONDS = 60.0


class Sweep:
    """Which slots of a queue a round looks at: the last two days', and once a minute all."""

    def __init__(self) -> None:
        self._read_at = 0.0
        self._now: datetime | None = None
        self._swept_at: dict[str, float] = {}

    def horizon(self, queue: str = "") -> Horizon:
        """The slots to look at now. Who asks looks: each queue has its own minute."""
        now = self._fresh_now()
        if monotonic() - self._swept_at.get(queue, -math.inf) >= _SWEEP_SECONDS:
            self._swept_at[queue] = monotonic()
            return Horizon.whole(now)
        return Horizon.hot(now)

    def saw(self, queue: str, oldest_slot: datetime | None) -> None:
        """A run was found; where it is an old one there may be more: the next look is at all slots again."""
        if self._now and oldest_slot and oldest_slot <= Horizon.hot(self._now).since:
            self._swept_at.pop(queue, None)

    def _fresh_now(self) -> datetime:
        if self._now is None or monotonic() - self._read_at >= _SWEEP_SECONDS:
            self._now, self._read_at = database_now(), monotonic()
        return self._now
