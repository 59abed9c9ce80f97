"""The clerk's heartbeat: leases are renewed, lost ones and cancelled runs have their bodies ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobs import clock, log
from jobs.conf import config
from jobs.services.heartbeat import heartbeat
from jobs.store.leases import Beat
from jobs.worker import shared
from jobs.worker.hold import Ending, Hold
from jobs.worker.ledger import Ledger
from jobs.worker.settling import Settling

if TYPE_CHECKING:
    from jobs.worker.clerk import Clerk

KILL_AFTER = 5.0
"""Seconds that a body asked to end by SIGTERM has until it is killed."""


class Keeping:
    """Keeps the leases of all holds."""

    def __init__(self, clerk: Clerk, ledger: Ledger, settling: Settling) -> None:
        self._clerk = clerk
        self._ledger = ledger
        self._settling = settling
        self._next_beat = clock.monotonic() + config().heartbeat

    @property
    def wait(self) -> float:
        """Seconds until the next heartbeat."""
        return max(0.0, self._next_beat - clock.monotonic())

    def beat(self) -> None:
        """Renew all leases when it is time; AwayError leaves them as they are until the next try.

        A run that may be settled already has no lease to renew; settling it again follows at once.
        """
        if self.wait > 0:
            return
        if holds := [hold for hold in self._clerk.holds.values() if not (hold.forsaken or hold.in_doubt)]:
            self._renew(holds)
        self._next_beat = clock.monotonic() + config().heartbeat

    def watch(self) -> None:
        """End bodies that must not outlive their lease, and kill those that did not end when told.

        A body that has ended in time is only waiting to be settled: the fence decides.
        """
        now = clock.monotonic()
        overdue, deaf = [], []
        for hold in self._clerk.holds.values():
            if hold.ended:
                continue
            if hold.is_single and now > hold.lease_until and hold.ending is not Ending.LEASE_LOST:
                overdue.append(hold)
            elif hold.ending_since is not None and now > hold.ending_since + KILL_AFTER:
                hold.ending_since = now
                deaf.append(hold)
        for hold in overdue:
            self.lose(hold)
        self._clerk.hands.end(deaf, "SIGKILL")

    def _renew(self, holds: list[Hold]) -> None:
        before = clock.monotonic()
        beats = [_beat(hold) for hold in holds]
        renewed, faulty = self._ledger.run_apart(lambda some: heartbeat(some, worker=self._clerk.worker), beats)
        unknown = {beat.lease for beat, _ in faulty}
        for hold, beat in zip(holds, beats, strict=True):
            if hold.lease in unknown:
                continue
            if hold.lease.key not in renewed:
                self.lose(hold)
                continue
            hold.lease_until = before + config().lease
            hold.noted = hold.noted or beat.attempt is not None
            if renewed[hold.lease.key] and hold.ending is None:
                self._cancel(hold)

    def _cancel(self, hold: Hold) -> None:
        log.event("run.cancelling", run=hold.lease.key, job=hold.job, worker=self._clerk.worker)
        self._ask_to_end(hold, Ending.CANCELLED)
        self._clerk.hands.end([hold], "SIGTERM")

    def lose(self, hold: Hold) -> None:
        """The run is someone else's: end the body, write nothing."""
        log.warning(
            "run.lease_lost", run=hold.lease.key, job=hold.job, attempt=hold.attempt.number, worker=self._clerk.worker
        )
        self._ask_to_end(hold, Ending.LEASE_LOST)
        if hold.ended:
            self._settling.drop(hold)
        else:
            del self._clerk.holds[hold.lease.key]
            self._clerk.hands.end([hold], "SIGKILL")

    def _ask_to_end(self, hold: Hold, why: Ending) -> None:
        hold.ending, hold.ending_since = why, clock.monotonic()
        shared.ask_to_end(hold.message.headers["id"])


def _beat(hold: Hold) -> Beat:
    if hold.started is None or hold.noted:
        return Beat(hold.lease)
    return Beat(hold.lease, hold.attempt.number, hold.started_ago)
