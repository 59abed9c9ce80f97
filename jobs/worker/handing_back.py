"""The clerk gives back what it claimed and nobody will run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.db import DatabaseError

from jobs import log
from jobs.domain.messages import RunKey
from jobs.domain.policies import Delivery
from jobs.domain.states import RunStatus
from jobs.services.hand_back import hand_back
from jobs.store.leases import Lease
from jobs.worker.hold import Hold
from jobs.worker.ledger import AwayError, Ledger

if TYPE_CHECKING:
    from jobs.worker.clerk import Clerk


class HandingBack:
    """Runs that have not started return to the queue; what cannot be written now is the reaper's."""

    def __init__(self, clerk: Clerk, ledger: Ledger) -> None:
        self._clerk = clerk
        self._ledger = ledger

    def give(self, *, given_too: bool) -> None:
        """Give back; ``given_too``: also those the pool was given and has not reported as started."""
        self._write(self._let_go(given_too))

    def give_strays(self, strays: Sequence[Hold]) -> None:
        """Give back runs whose message no longer fits their job; the next one says what the job is now."""
        for hold in strays:
            hold.ended = True
            del self._clerk.holds[hold.lease.key]
        self._write(strays)

    def _write(self, holds: Sequence[Hold]) -> None:
        back = [(hold.lease, hold.counted and not hold.given) for hold in holds]
        if not back:
            return
        try:
            self._ledger.run(self._hand_back, back)
        except (AwayError, DatabaseError) as error:
            log.warning("clerk.hand_back_failed", worker=self._clerk.worker, runs=len(back), error=error)
        else:
            log.event("clerk.handed_back", worker=self._clerk.worker, runs=len(back))

    def _let_go(self, given_too: bool) -> list[Hold]:
        """Once given to the pool an at-most-once run may have begun: it is left to end as lost."""
        unstarted = [hold for hold in self._clerk.holds.values() if _is_unstarted(hold, given_too)]
        for hold in unstarted:
            hold.forsaken = hold.given and hold.attempt.delivery is Delivery.AT_MOST_ONCE
            if not hold.forsaken:
                hold.ended = True
                del self._clerk.holds[hold.lease.key]
        return [hold for hold in unstarted if not hold.forsaken]

    def _hand_back(self, back: Sequence[tuple[Lease, bool]]) -> dict[RunKey, RunStatus]:
        return hand_back(back, worker=self._clerk.worker)


def _is_unstarted(hold: Hold, given_too: bool) -> bool:
    return hold.started is None and not hold.ended and (given_too or not hold.given)
