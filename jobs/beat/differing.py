"""Say that this beat's number of shards is not the one that the jobs are divided into."""

from __future__ import annotations

import math

from jobs import log
from jobs.clock import monotonic
from jobs.errors import ShardsDifferError

_EVERY_SECONDS = 30.0


class Differing:
    """Tells of it once, and every 30 s while it is so."""

    def __init__(self) -> None:
        self._told_at = -math.inf

    def tell(self, error: ShardsDifferError) -> None:
        """It is so."""
        if monotonic() - self._told_at >= _EVERY_SECONDS:
            self._told_at = monotonic()
            mend = f'run "manage.py jobs reshard {error.here}", or set SHARDS to {error.written} and start again'
            log.error("beat.shards_differ", here=error.here, written=error.written, mend=mend)

    def is_over(self) -> None:
        """It is so no longer: the next time is a new one."""
        self._told_at = -math.inf
