"""The clerk's outgoing side: outcomes that are known and not yet committed."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from django.db import DatabaseError

from jobs import log
from jobs.conf import config
from jobs.domain.messages import RunKey
from jobs.domain.outcomes import Fault, Kind, Outcome, judge
from jobs.domain.states import RunStatus
from jobs.services.settle import settle, settled
from jobs.store.leases import Settlement
from jobs.worker import shared
from jobs.worker.hold import Ending, Hold
from jobs.worker.intake import BATCH
from jobs.worker.ledger import Ledger, is_of_the_data

if TYPE_CHECKING:
    from jobs.worker.clerk import Clerk

_NEVER_STARTED = frozenset({Kind.CANCELLED, Kind.MISSED})


class Settling:
    """Settles outcomes; their messages are acknowledged after the commit."""

    def __init__(self, clerk: Clerk, ledger: Ledger) -> None:
        self._clerk = clerk
        self._ledger = ledger
        self._told: list[tuple[Hold, Outcome]] = []

    def __len__(self) -> int:
        return len(self._told)

    def add(self, hold: Hold, outcome: Outcome) -> None:
        """An attempt ended. One whose lease was lost writes nothing."""
        is_held = self._clerk.holds.get(hold.lease.key) is hold
        if is_held and hold.ending is not Ending.LEASE_LOST:
            self._told.append((hold, outcome))
        else:
            self._finish([hold])

    def drop(self, hold: Hold) -> None:
        """Its lease was lost while its outcome waited. One that is still on its way is finished when it comes."""
        left = [item for item in self._told if item[0] is not hold]
        if len(left) < len(self._told):
            self._told = left
            self._finish([hold])

    def flush(self) -> None:
        """Settle what is known; AwayError leaves the rest for later."""
        while batch := self._told[:BATCH]:
            settlements = [_settlement(hold, outcome) for hold, outcome in batch]
            try:
                statuses, busy = self._write(batch, settlements)
            except Exception:
                for hold, _ in batch:
                    hold.in_doubt = True
                raise
            self._told[: len(batch)] = [item for item in batch if item[0].lease.key in busy]
            finished = [hold for hold, _ in batch if hold.lease.key not in busy]
            self._note(finished, settlements, statuses)
            self._finish(finished)
            if busy:
                return

    def _write(
        self, batch: Sequence[tuple[Hold, Outcome]], settlements: Sequence[Settlement]
    ) -> tuple[dict[RunKey, RunStatus], set[RunKey]]:
        """The new statuses, and which runs wait for a lock. When no answer comes it may be written all the same."""
        statuses, faulty = self._ledger.run_apart(self._settle, settlements)
        busy = self._mend(faulty, statuses)
        missing = [item for item in settlements if item.lease.key not in statuses]
        if missing and any(hold.in_doubt for hold, _ in batch):
            statuses.update(self._ledger.run(settled, missing))
        return statuses, busy

    def _settle(self, settlements: Sequence[Settlement]) -> dict[RunKey, RunStatus]:
        return settle(settlements, worker=self._clerk.worker)

    def _mend(
        self, faulty: Sequence[tuple[Settlement, DatabaseError]], statuses: dict[RunKey, RunStatus]
    ) -> set[RunKey]:
        """Settle rows that the database refused with a text instead of their data; which ones wait for a lock."""
        busy = {item.lease.key for item, error in faulty if not is_of_the_data(error)}
        for item, error in faulty:
            if item.lease.key not in busy:
                mended, still_faulty = self._ledger.run_apart(self._settle, [_without_data(item, error)])
                statuses.update(mended)
                log.error("run.data_refused", run=item.lease.key, error=error, given_up=bool(still_faulty))
        return busy

    def _note(
        self, holds: Sequence[Hold], settlements: Sequence[Settlement], statuses: dict[RunKey, RunStatus]
    ) -> None:
        is_detailed = log.is_shown(logging.DEBUG)
        errors = {item.lease.key: item.verdict.last_error for item in settlements}
        for hold in holds:
            key = hold.lease.key
            status = statuses.get(key)
            if status is RunStatus.SUCCEEDED and not is_detailed:
                continue
            fields: dict[str, Any] = {"run": key, "job": hold.job, "attempt": hold.attempt.number}
            fields["worker"] = self._clerk.worker
            if status is None:
                log.warning("run.lease_lost", **fields)
            else:
                level = logging.DEBUG if status is RunStatus.SUCCEEDED else logging.INFO
                log.event("run.settled", level=level, status=status.value, error=errors[key][:200] or None, **fields)

    def _finish(self, holds: Sequence[Hold]) -> None:
        for hold in holds:
            if self._clerk.holds.get(hold.lease.key) is hold:
                del self._clerk.holds[hold.lease.key]
            hold.request = None  # which has the hold: a ring would be left to the garbage collector
            shared.forget(hold.message.headers["id"])
        self._clerk.hands.acknowledge([hold.message for hold in holds])


def _settlement(hold: Hold, outcome: Outcome) -> Settlement:
    started = hold.started is not None or outcome.kind not in _NEVER_STARTED
    return Settlement(
        hold.lease,
        judge(outcome, hold.attempt),
        hold.attempt.number if started else None,
        hold.started_ago,
        outcome.result,
    )


def _without_data(item: Settlement, error: DatabaseError) -> Settlement:
    """The same end, with what the database said in place of what it refused."""
    fault = Fault.bounded("DataError", f"The data could not be stored: {error}", limit=config().error_max)
    record = item.verdict.record and {
        "attempt": item.attempt,
        "kind": item.verdict.record["kind"],
        "type": fault.type,
        "message": fault.message,
        "traceback": "",
    }
    verdict = replace(item.verdict, record=record, last_error=str(fault))
    return replace(item, verdict=verdict, result=None)
