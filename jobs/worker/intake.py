"""The clerk's intake: what arrived from the queues and is not yet answered."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

from django.db import DatabaseError

from jobs import clock, log
from jobs.conf import config
from jobs.domain.bounds import bounded_text
from jobs.services.claim import claim, postpone_unknown
from jobs.services.mark import record_returned
from jobs.store.leases import Judged, Lease, Published
from jobs.worker.hold import Hold
from jobs.worker.ledger import Ledger, is_of_the_data

if TYPE_CHECKING:
    from jobs.worker.clerk import Clerk

T = TypeVar("T")
BATCH = 500
_LONGEST_NAME = 255  # of a task or a queue: what a header says may be anything


class Intake:
    """Claims what arrived. A message stays here, unacknowledged, until the database has answered."""

    def __init__(self, clerk: Clerk, ledger: Ledger) -> None:
        self._clerk = clerk
        self._ledger = ledger
        self._runs: dict[Published, list[Any]] = defaultdict(list)
        self._in_doubt: set[Published] = set()  # asked for, and no answer came
        self._unknown: list[tuple[Any, Published, str]] = []
        self._markers: list[tuple[Any, str, datetime]] = []

    def __len__(self) -> int:
        return len(self._runs) + len(self._unknown) + len(self._markers)

    def add_run(self, message: Any, published: Published) -> None:
        self._runs[published].append(message)

    def add_unknown(self, message: Any, published: Published, task: str) -> None:
        self._unknown.append((message, published, bounded_text(task, _LONGEST_NAME)))

    def add_marker(self, message: Any, queue: str, sent_at: datetime) -> None:
        self._markers.append((message, bounded_text(queue, _LONGEST_NAME), sent_at))

    def forget(self) -> None:
        """Their channel is gone, or they are to go back to their queues: they come again."""
        self._runs.clear()
        self._unknown.clear()
        self._markers.clear()

    def flush(self) -> None:
        """Answer what arrived; AwayError leaves the rest for later."""
        self._acknowledge_copies()
        # What is in doubt is asked for by itself. It stays known until it is answered, also over a reconnect.
        doubtful = [item for item in self._runs if item in self._in_doubt]
        fresh = [item for item in self._runs if item not in self._in_doubt]
        self._claim(doubtful[:BATCH])
        self._claim(fresh[:BATCH])
        self._postpone()
        self._mark()

    def _acknowledge_copies(self) -> None:
        """A second message of a run that is held: in doubt, it would find the run as its own and start it twice."""
        holds = self._clerk.holds
        copies = [item for item in self._runs if item.key in holds and holds[item.key].lease.token == item.token + 1]
        for item in copies:
            self._clerk.hands.acknowledge(self._runs.pop(item))

    def _claim(self, batch: list[Published]) -> None:
        if not batch:
            return
        before = clock.monotonic()
        answers, faulty = self._ask(batch)
        busy = {item for item, error in faulty if not is_of_the_data(error)}
        arrived = {item: self._runs.pop(item) for item in batch if item not in busy}
        for item, error in faulty:
            log.warning("run.claim_failed", run=item.key, error=error)
        holds = [
            self._hold(answers[item], messages[0], before)
            for item, messages in arrived.items()
            if item in answers and answers[item].is_won
        ]
        strays = [hold for hold in holds if hold.is_stray]
        self._clerk.hand_strays_back(strays)
        holds = [hold for hold in holds if not hold.is_stray]
        won = {id(hold.message) for hold in holds}
        self._clerk.hands.start(holds)
        # A denied message has nothing left to do: the database sends the run again when its time comes.
        self._clerk.hands.acknowledge(
            [message for messages in arrived.values() for message in messages if id(message) not in won]
        )

    def _ask(self, batch: list[Published]) -> tuple[dict[Published, Judged], list[tuple[Published, DatabaseError]]]:
        """When no answer comes the claim may be committed all the same; the next try then finds it as its own.

        Only then: else a run is ``running`` under this worker because its body runs, or was just ended. A part of the
        batch is asked for after the whole has failed, perhaps at its second statement.
        """
        in_doubt = batch[0] in self._in_doubt
        try:
            answers, faulty = self._ledger.run_apart(
                lambda some: claim(some, worker=self._clerk.worker, in_doubt=in_doubt or len(some) < len(batch)), batch
            )
        except Exception:
            self._in_doubt.update(batch)
            raise
        self._in_doubt.difference_update(batch)
        self._in_doubt.update(item for item, error in faulty if not is_of_the_data(error))
        return answers, faulty

    def _hold(self, judged: Judged, message: Any, before: float) -> Hold:
        key = judged.published.key
        if key in self._clerk.holds:
            self._clerk.lose(self._clerk.holds[key])
        hold = Hold(
            lease=Lease(key, judged.token, self._clerk.worker),
            message=message,
            job=judged.job,
            attempt=judged.attempt,
            counted=judged.counted,
            concurrency=judged.concurrency,
            clerk=self._clerk,
            lease_until=before + config().lease,
            start_until=None if judged.start_within is None else before + judged.start_within,
            target=judged.target,
        )
        self._clerk.holds[key] = hold
        if log.is_shown(logging.DEBUG):
            fields = {"run": key, "job": hold.job, "attempt": judged.attempt.number, "worker": hold.lease.worker}
            log.event("run.claimed", level=logging.DEBUG, **fields)
        return hold

    def _postpone(self) -> None:
        batch = self._unknown[:BATCH]
        self._answer(_postponed, [(published, task) for _, published, task in batch])
        for _, published, task in batch:
            log.warning("run.unknown_task", run=published.key, task=task, worker=self._clerk.worker)
        del self._unknown[: len(batch)]
        self._clerk.hands.acknowledge([message for message, _, _ in batch])

    def _mark(self) -> None:
        newest = {queue: sent_at for _, queue, sent_at in sorted(self._markers, key=itemgetter(2))}
        self._answer(_marked, list(newest.items()))
        self._clerk.hands.acknowledge([message for message, _, _ in self._markers])
        self._markers.clear()

    def _answer(self, statement: Callable[[Sequence[T]], dict[Any, Any]], batch: Sequence[T]) -> None:
        """What the database refuses is only told: the run's message is sent again from the database."""
        _, faulty = self._ledger.run_apart(statement, batch)
        for item, error in faulty:
            log.warning("message.refused", message=item, error=error)


def _postponed(batch: Sequence[tuple[Published, str]]) -> dict[Any, Any]:
    postpone_unknown(batch)
    return {}


def _marked(batch: Sequence[tuple[str, datetime]]) -> dict[Any, Any]:
    for queue, sent_at in batch:
        record_returned(queue, sent_at)
    return {}
