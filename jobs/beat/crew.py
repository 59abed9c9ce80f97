"""One beat among several that lead several shards: it takes its share of them, a thread each.

The main thread leads nothing. Twice a second it sees who leads which shard, takes or gives up one by the rules of
:mod:`jobs.beat.spread`, and ends the sessions of leaders that have gone silent. Its session holds a lock that says that
this beat is here; when it freezes, that counts no longer. Nothing rests on its view being right: a shard's lock is won
by one session, and its term fences.
"""

from __future__ import annotations

import threading
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

from django.db import connection

from jobs import log
from jobs.beat.clock_watch import Holds
from jobs.beat.differing import Differing
from jobs.beat.dispatcher import Dispatcher
from jobs.beat.loop import FIRST_BACKOFF, LONGEST_BACKOFF, Loop
from jobs.beat.reign import DispatcherThread
from jobs.beat.shard_thread import ShardThread
from jobs.beat.spread import Spread
from jobs.clock import monotonic
from jobs.conf import config
from jobs.errors import ShardsDifferError
from jobs.services.lead import end_silent_leader, require_direct
from jobs.store import shards
from jobs.store.unsent import Share

LOOK_SECONDS = 0.5
# A beat that has not looked for so long takes no share.
PRESENT_SECONDS = 3.0
# Nobody took what was given up: whoever leads too few does not lead at all, and it would go to and fro.
KEEP_SECONDS = 60.0
_GOODBYE_SECONDS = 8.0


class Crew:
    """``tick`` looks once and waits for half a second; ``close`` gives up all shards and ends it for good."""

    def __init__(self, *, new_dispatcher: Callable[[Share], DispatcherThread] = Dispatcher) -> None:
        self._new_dispatcher = new_dispatcher
        self._shards = config().shards
        self._holder = uuid.uuid4()
        self._holds = Holds(lease=config().lease, ttl=config().term_ttl)
        self._threads: dict[int, ShardThread] = {}
        self._free_since: dict[int, float] = {}
        self._given_up: int | None = None
        self._keeps_until = 0.0
        self._differing = Differing()
        self._session: object = None
        self._backoff = 0.0
        self._is_closed = False

    @property
    def led(self) -> set[int]:
        """The shards that this beat leads, or is about to."""
        return {shard for shard, thread in self._threads.items() if not thread.is_stopping}

    def tick(self) -> int:
        """Look, take or give up; returns how many shards changed hands. Whatever goes wrong, the threads lead on."""
        done = 0
        try:
            done = self._share(self._look())
            self._backoff = 0.0
        except ShardsDifferError as error:
            self._differing.tell(error)
            self._stop_all()
        except Exception as error:  # the database is away, or a fault of ours: beat must outlive both
            log.warning("beat.waiting", error=error)
            connection.close()
            self._backoff = min(max(FIRST_BACKOFF, self._backoff * 2), LONGEST_BACKOFF)
        threading.Event().wait(self._backoff or LOOK_SECONDS)
        return done

    def close(self) -> None:
        """Free the locks and close the connections. May be called more than once."""
        if self._is_closed:
            return
        self._is_closed = True
        self._stop_all()
        deadline = monotonic() + _GOODBYE_SECONDS
        for thread in self._threads.values():
            thread.join(max(0.0, deadline - monotonic()))
        connection.close()

    def _look(self) -> Sequence[Any]:
        """A row a shard; ShardsDifferError when the jobs are divided otherwise."""
        self._threads = {shard: thread for shard, thread in self._threads.items() if thread.is_alive}
        connection.ensure_connection()
        if connection.connection is not self._session:
            require_direct()
            shards.attend(self._shards)
            self._session = connection.connection
        sent = monotonic()
        rows = shards.watch(self._shards, ttl_seconds=config().term_ttl, present_seconds=PRESENT_SECONDS)
        self._holds.saw_clock(rows[0].now, sent=sent)
        if rows[0].written != self._shards:
            raise ShardsDifferError(self._shards, rows[0].written)
        self._differing.is_over()
        return rows

    def _share(self, rows: Sequence[Any]) -> int:
        for row in rows:
            if row.is_held and row.is_silent and self._holds.may_end_leader:
                end_silent_leader(row.shard, now=row.now)
        free = self._note_free(rows)
        spread = self._spread(rows)
        if free:
            return self._take(free, spread)
        is_settled = all(row.holder for row in rows) and not any(one.is_stopping for one in self._threads.values())
        if is_settled and spread.is_to_give_way and monotonic() >= self._keeps_until:
            self._give_way()
            return 1
        return 0

    def _note_free(self, rows: Sequence[Any]) -> list[int]:
        """The free shards, in an order of this beat's own, so that beats that start together reach for others."""
        now = monotonic()
        free = [row.shard for row in rows if not row.is_held]
        self._free_since = {shard: self._free_since.get(shard, now) for shard in free}
        if self._given_up not in {*free, *self._threads}:
            self._given_up = None
        return sorted(free, key=lambda shard: (shard + self._holder.int) % self._shards)

    def _spread(self, rows: Sequence[Any]) -> Spread:
        others = Counter(row.holder for row in rows if row.holder not in (None, self._holder))
        return Spread(self._holder, len(self.led), others, max(0, rows[0].beats - 1 - len(others)))

    def _take(self, free: Sequence[int], spread: Spread) -> int:
        taken = 0
        for shard in free:
            if shard not in self._threads and monotonic() - self._free_since[shard] >= spread.patience:
                self._start(shard)
                spread = spread.with_one_more()
                taken += 1
        return taken

    def _start(self, shard: int) -> None:
        if shard == self._given_up:
            self._given_up, self._keeps_until = None, monotonic() + KEEP_SECONDS
        new_dispatcher = partial(self._new_dispatcher, Share(shard, self._shards))
        loop = Loop(shard, holder=self._holder, holds=deepcopy(self._holds), new_dispatcher=new_dispatcher)
        self._threads[shard] = ShardThread(shard, loop)
        self._threads[shard].start()

    def _give_way(self) -> None:
        """Give up the last shard: the first one's leader reaps, and each new one holds that back for a lease."""
        shard = max(self.led)
        self._given_up = shard
        self._threads[shard].stop()
        log.event("leader.gave_way", shard=shard, leads=len(self.led))

    def _stop_all(self) -> None:
        for thread in self._threads.values():
            thread.stop()
