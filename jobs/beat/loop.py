"""The loop of one shard: lead when it is free, stand by when it is not, and outlive every fault.

It belongs to the thread that ticks it, whose connection leads. With one shard that is beat's main thread.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from datetime import datetime

from django.db import connection

from jobs import log
from jobs.beat.clock_watch import Holds
from jobs.beat.differing import Differing
from jobs.beat.dispatcher import Dispatcher
from jobs.beat.reign import DispatcherThread, Reign
from jobs.clock import monotonic
from jobs.conf import config
from jobs.errors import FencedError, ShardsDifferError
from jobs.services.lead import end_silent_leader, require_direct, take_term
from jobs.store.clock import database_now

# A leader that died has freed its lock: the first slot due after it starts within this and a tick.
STANDBY_SECONDS = 0.5
FIRST_BACKOFF = 0.5
LONGEST_BACKOFF = 5.0
LONGEST_WAIT = 1.0


class Loop:
    """``tick`` does a bounded amount of work and waits for at most a second; ``close`` ends it for good.

    It watches the database's clock whether it leads or not: what has to wait after a jump waits in the next reign too.
    """

    def __init__(
        self,
        shard: int = 0,
        *,
        holder: uuid.UUID | None = None,
        holds: Holds | None = None,
        new_dispatcher: Callable[[], DispatcherThread] = Dispatcher,
    ) -> None:
        self._shard = shard
        self._new_dispatcher = new_dispatcher
        self._holder = holder or uuid.uuid4()
        self._holds = holds or Holds(lease=config().lease, ttl=config().term_ttl)
        self._differing = Differing()
        self.is_led_elsewhere = False  # whether another session had the shard's lock when this one last tried
        self._reign: Reign | None = None
        self._session: object = None
        self._backoff = 0.0
        self._retry_at = 0.0
        self._is_closed = False

    @property
    def is_leading(self) -> bool:
        return self._reign is not None

    def tick(self) -> int:
        """Lead or stand by; returns how much was done. Whatever goes wrong means standing by."""
        try:
            return self._reign.tick() if self._reign else self._stand_by()
        except ShardsDifferError as error:
            self._differing.tell(error)
            return _pause(STANDBY_SECONDS)
        except FencedError as error:
            self._step_down(error)
        except Exception as error:  # the database is away, or a fault of ours: beat must outlive both
            self._step_down(error)
            self._backoff = min(max(FIRST_BACKOFF, self._backoff * 2), LONGEST_BACKOFF)
            self._retry_at = monotonic() + self._backoff
        return 0

    def close(self) -> None:
        """Free the lock and close the connection. May be called more than once."""
        if not self._is_closed:
            self._is_closed = True
            self._end_reign()
            connection.close()

    def _stand_by(self) -> int:
        if (left := self._retry_at - monotonic()) > 0:
            return _pause(min(left, LONGEST_WAIT))
        self._note_session()
        now = self._see_clock()
        term = take_term(self._shard, holder=self._holder)
        self.is_led_elsewhere = term is None
        self._differing.is_over()
        if term:
            self._reign = Reign(term, self._holds, new_dispatcher=self._new_dispatcher)
            self._reign.begin()
        elif self._holds.may_end_leader:
            end_silent_leader(self._shard, now=now)
        self._backoff = 0.0
        return 1 if term else _pause(STANDBY_SECONDS)

    def _note_session(self) -> None:
        """Notice a new connection; one through a pooler is refused."""
        connection.ensure_connection()
        if connection.connection is not self._session:
            require_direct()
            self._session = connection.connection
            self._holds.connected()

    def _see_clock(self) -> datetime:
        sent = monotonic()
        now = database_now()
        self._holds.saw_clock(now, sent=sent)
        return now

    def _step_down(self, error: Exception) -> None:
        if self._reign:
            log.warning("leader.stepped_down", shard=self._reign.term.shard, term=self._reign.term.number, error=error)
        else:
            log.warning("beat.waiting", error=error)
        try:
            self._end_reign()
            connection.close()
        except Exception as problem:  # what is left is closed by the server, or ends with the process
            log.error("leader.untidy_end", error=repr(problem))

    def _end_reign(self) -> None:
        reign, self._reign = self._reign, None
        if reign:
            reign.end()


def _pause(seconds: float) -> int:
    """Wait; a signal's handler runs meanwhile."""
    threading.Event().wait(seconds)
    return 0
