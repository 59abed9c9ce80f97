"""Which slots a round looks at: few partitions, and now and then all."""

from __future__ import annotations

from datetime import datetime

from jobs.clock import monotonic
from jobs.store.clock import database_now
from jobs.store.unsent import Horizon

_SWEEP_SECONDS = 60.0


class Sweep:
    """Which slots a round looks at: the last two days', and once a minute all."""

    def __init__(self) -> None:
        self._read_at = 0.0
        self._now: datetime | None = None

    def horizon(self) -> Horizon:
        """The slots to look at now."""
        if self._now is None or monotonic() - self._read_at >= _SWEEP_SECONDS:
            self._now, self._read_at = database_now(), monotonic()
            return Horizon.whole(self._now)
        return Horizon.hot(self._now)

    def saw(self, oldest_slot: datetime | None) -> None:
        """A run was found; where it is an old one there may be more: the next look is at all slots again."""
        if self._now and oldest_slot and oldest_slot <= Horizon.hot(self._now).since:
            self._now = None
