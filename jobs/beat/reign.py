"""A leader's reign over a shard, from winning a term to losing it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Protocol

from django.db import connection

from jobs.beat import waking
from jobs.beat.clock_watch import Holds
from jobs.beat.housekeeper import Housekeeper
from jobs.beat.steps import Steps
from jobs.beat.watchdog import Watchdog
from jobs.clock import monotonic
from jobs.conf import config
from jobs.services.lead import renew_term
from jobs.services.reap import window
from jobs.store.clock import database_now
from jobs.store.look import Look, look
from jobs.store.terms import Term

RENEWAL_SECONDS = 2.0
LONGEST_WAIT = 1.0
# Something is due, but someone holds its lock.
LOCKED_WAIT = 0.25


class DispatcherThread(Protocol):
    """What a reign needs of the dispatcher."""

    def start(self) -> None: ...
    def stop(self) -> None: ...
    def wake(self) -> None: ...


class Reign:
    """Ticks on the connection that won the term, with a dispatcher and a watchdog beside it; the first shard's with a
    housekeeper too."""

    def __init__(self, term: Term, holds: Holds, *, new_dispatcher: Callable[[], DispatcherThread]) -> None:
        self.term = term
        self._holds = holds
        self._renewal_seconds = min(RENEWAL_SECONDS, config().term_trust * 0.4)
        self._renewed_at = monotonic()
        self._now: datetime | None = None
        self._watchdog = Watchdog(connection.connection.fileno(), patience=config().term_trust)
        self._dispatcher = new_dispatcher()
        self._steps = Steps(term, holds, keep_term=self._keep_term, on_emitted=self._dispatcher.wake)
        self._threads: list[DispatcherThread | Housekeeper] = [self._dispatcher]
        if term.is_first:
            self._threads.append(Housekeeper())

    def begin(self) -> None:
        """Listen for wake-ups and start the threads."""
        self._watchdog.start()
        waking.listen()
        for thread in self._threads:
            thread.start()

    def tick(self) -> int:
        """Do what is due; with nothing to do, wait for it. Returns how much was done."""
        self._keep_term()
        seen = self._look()
        done = self._steps.run(seen)
        if done:
            self._dispatcher.wake()
        if not done or self._steps.failed:
            waking.wait(self._seconds_to_next(seen))
        return done

    def end(self) -> None:
        """Free the shard's lock, then stop the threads."""
        self._watchdog.stop()
        connection.close()
        for thread in self._threads:
            thread.stop()

    def _keep_term(self) -> None:
        """Renew when it is time; LeadershipLostError when the term is lost."""
        sent = monotonic()
        if sent - self._renewed_at >= self._renewal_seconds:
            renew_term(self.term)
            self._renewed_at = sent
            self._watchdog.feed(sent)

    def _look(self) -> Look:
        lo, hi = window(self._now or database_now(), everywhere=False)
        sent = monotonic()
        seen = look(self.term.shard, lease_seconds=config().lease, lo=lo, hi=hi)
        self._holds.saw_clock(seen.now, sent=sent)
        self._now = seen.now
        return seen

    def _seconds_to_next(self, seen: Look) -> float:
        if self._steps.failed or seen.next_due is None:
            return LONGEST_WAIT
        ahead = (seen.next_due - seen.now) / timedelta(seconds=1)
        return min(ahead, LONGEST_WAIT) if ahead > 0 else LOCKED_WAIT
