"""Notices when the database's clock jumps, and says what has to wait then."""

from __future__ import annotations

from datetime import datetime, timedelta

from jobs import log
from jobs.clock import monotonic

NOTABLE = 5.0
ALARMING = 60.0
CALM_AFTER_ALARM = 30.0


class ClockWatch:
    """Compares the database's clock with this machine's monotonic one."""

    def __init__(self) -> None:
        self._seen: tuple[datetime, float, float] | None = None

    def jump(self, now: datetime, *, sent: float, received: float) -> float:
        """Seconds that the database's clock jumped since the last call: at least so many, negative when back.

        ``now`` was read between ``sent`` and ``received`` (monotonic), so a slow answer is no jump.
        """
        before, self._seen = self._seen, (now, sent, received)
        if before is None:
            return 0.0
        passed = (now - before[0]) / timedelta(seconds=1)
        shortest, longest = sent - before[2], received - before[1]
        return passed - min(max(passed, shortest), longest)


class Holds:
    """What waits, and until when (monotonic). Of one thread; a copy for another must be a deep one.

    The reaper waits until this session has been connected for a lease and 5 s: workers must get their chance to renew
    first. After a jump of the clock all leases look as if they had run out, or lie impossibly far ahead, and a leader
    looks silent that is not. So the reaper waits a lease more, and who stands by ends no leader for a TTL.
    """

    def __init__(self, *, lease: float, ttl: float) -> None:
        self._lease = lease
        self._ttl = ttl
        self._clock = ClockWatch()
        self._reaper_until = 0.0
        self._leader_until = 0.0
        self._emission_until = 0.0

    def connected(self) -> None:
        """A new session stands."""
        self._hold_reaper(self._lease + 5.0)

    def saw_clock(self, now: datetime, *, sent: float) -> None:
        """Take note of the database's clock, which was asked at ``sent`` (monotonic) and has just answered."""
        self.clock_jumped(self._clock.jump(now, sent=sent, received=monotonic()))

    def clock_jumped(self, seconds: float) -> None:
        """Take note of a jump; under 5 s it is none."""
        if abs(seconds) <= NOTABLE:
            return
        log.error("clock.jumped", seconds=round(seconds, 1))
        self._hold_reaper(self._lease)
        self._leader_until = monotonic() + self._ttl
        if abs(seconds) > ALARMING:
            self._emission_until = monotonic() + CALM_AFTER_ALARM

    @property
    def may_reap(self) -> bool:
        return monotonic() >= self._reaper_until

    @property
    def may_end_leader(self) -> bool:
        return monotonic() >= self._leader_until

    @property
    def may_emit(self) -> bool:
        return monotonic() >= self._emission_until

    def _hold_reaper(self, seconds: float) -> None:
        self._reaper_until = max(self._reaper_until, monotonic() + seconds)
