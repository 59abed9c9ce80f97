"""The clerk: all lease work of a worker process, in one thread of its parent with one database connection.

Messages that arrive are claimed in batches, runs that are won go to the pool, all leases are renewed in one statement,
outcomes are settled in batches and their messages acknowledged after the commit. It is a thread because the event loop
stands still while a broker is away; heartbeats must not.

What holds when something dies. The process: leases run out, the reaper gives the runs back, redelivered messages are
denied. The broker: runs go on, outcomes are settled, the acknowledgements are void and the copies denied. The
database: bodies go on and their outcomes wait, fenced by (token, worker); only a body that must never have a twin is
ended when its lease is over. A lease that is refused: the body is ended, nothing is written.
"""

from __future__ import annotations

import gc
import math
import queue
import sys
import threading
import uuid
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from jobs import clock, log
from jobs.domain.messages import RunKey
from jobs.domain.outcomes import Outcome
from jobs.store.leases import Published
from jobs.worker.forking import keep_streams_whole
from jobs.worker.handing_back import HandingBack
from jobs.worker.hands import Hands
from jobs.worker.hold import Hold
from jobs.worker.intake import Intake
from jobs.worker.keeping import Keeping
from jobs.worker.ledger import AwayError, Ledger
from jobs.worker.settling import Settling

# Seconds. Tried on two cores with no-op runs, a second: 1, 5 and 10 ms gave 1,490, 1,730 and 2,190; later 10, 20
# and 30 ms gave 1,700, 1,835 and 1,730 within noise of a fifth, and 20 ms took a manual run from 5 ms to 19.
LINGER = 0.01
# While the pool has claimed runs to go on with, a new one would wait anyway: longer batches cost each run less.
LONGEST_LINGER = 0.05
LONGEST_WAIT = 1.0
HAND_BACK_WITHIN = 5.0
# What is not settled by then runs again: longer than a restart of PostgreSQL, and than who stops us may wait.
LAST_FLUSH_WITHIN = 90.0
# The loop waits this long for the interpreter while the clerk computes. With Python's own 5 ms it mostly waited.
SWITCH_INTERVAL = 0.0002


class Clerk:
    """Holds the runs of this worker process; ``holds`` is the thread's own."""

    def __init__(self, consumer: Any) -> None:
        self.worker = uuid.uuid4()
        self.holds: dict[RunKey, Hold] = {}
        self.hands = Hands(consumer)
        self._ledger = Ledger()
        self._intake = Intake(self, self._ledger)
        self._settling = Settling(self, self._ledger)
        self._keeping = Keeping(self, self._ledger, self._settling)
        self._handing_back = HandingBack(self, self._ledger)
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._hurry = threading.Event()
        self._ends_to_wait_for = math.inf
        self._flushed_at = 0.0
        self._closing = False
        self._stop_by: float | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread, once."""
        if self._thread is None:
            sys.setswitchinterval(SWITCH_INTERVAL)
            keep_streams_whole()
            gc.freeze()  # what was imported stays: looking through it again and again takes a twentieth of the time
            self._thread = threading.Thread(target=self._run, name="clerk", daemon=True)
            self._thread.start()
            log.event("clerk.started", worker=self.worker)

    def claim_nothing_more(self) -> None:
        """From now on leave what arrives on its queue. Safe in a signal handler."""
        self._closing = True

    def arrived(self, message: Any, published: Published) -> None:
        """A run's message came."""
        self._inbox.put(lambda: self._intake.add_run(message, published))

    def arrived_unknown(self, message: Any, published: Published, task: str) -> None:
        """A run's message came whose task this worker does not know."""
        self._inbox.put(lambda: self._intake.add_unknown(message, published, task))

    def arrived_marker(self, message: Any, queue_name: str, sent_at: datetime) -> None:
        """A marker came back."""
        self._inbox.put(lambda: self._intake.add_marker(message, queue_name, sent_at))

    def told(self, hold: Hold, outcome: Outcome) -> None:
        """An attempt ended."""
        self._inbox.put(lambda: self._settling.add(hold, outcome))
        self._ends_to_wait_for -= 1  # two threads of a pool may count as one: the linger is bounded anyway
        if self._ends_to_wait_for <= 0:
            self._hurry.set()

    def hand_back(self, *, given_too: bool) -> None:
        """Give back every run that has not started, committed when this returns, or left to the reaper.

        ``given_too``: also those the pool was given and has not reported as started.
        """
        if self._thread is None:
            return
        done = threading.Event()
        self._inbox.put(lambda: self._hand_back(given_too, done))
        self._hurry.set()
        if not done.wait(HAND_BACK_WITHIN):
            log.warning("clerk.hand_back_late", worker=self.worker)

    def hand_strays_back(self, strays: Sequence[Hold]) -> None:
        """Give back runs that this very batch won and whose messages fit them no more; in the thread."""
        self._handing_back.give_strays(strays)

    def lose(self, hold: Hold) -> None:
        """End a run whose lease ran out before a heartbeat learned of it; in the thread."""
        self._keeping.lose(hold)

    def stop(self) -> None:
        """Settle what is known and end the thread."""
        if self._thread is not None:
            self._inbox.put(self._begin_stop)
            self._hurry.set()
            self._thread.join(LAST_FLUSH_WITHIN + LONGEST_WAIT)

    def _run(self) -> None:
        while not self._is_over():
            try:
                self.tick(min(LONGEST_WAIT, self._keeping.wait))
            except Exception as error:  # one bad turn must not end all leases
                log.error("clerk.failed", worker=self.worker, error=repr(error))
                self._hurry.wait(LONGEST_WAIT)
                self._hurry.clear()  # by the turn that failed it may have been left
        if left := len(self._settling):
            log.error("clerk.left_behind", worker=self.worker, runs=left)
        self._ledger.close()

    def tick(self, timeout: float) -> int:
        """One turn: take in what came, then everything that is due. Returns how many items came."""
        came = self._collect(timeout)
        try:
            if self._ledger.wait == 0:
                self._keeping.beat()
                self._settling.flush()
                if not self._closing:
                    self._intake.flush()
        except AwayError:
            pass
        self._keeping.watch()
        self._flushed_at = clock.monotonic()
        return came

    def _collect(self, timeout: float) -> int:
        """Wait for the first item; when busy, linger for more of its kind, so that they share a statement."""
        try:
            self._inbox.get(timeout=self._patience(timeout))()
        except queue.Empty:
            return 0
        self._linger()
        came = 1
        for _ in range(self._inbox.qsize()):
            self._inbox.get()()
            came += 1
        return came

    def _linger(self) -> None:
        """Wait for more. While runs wait for the pool, until it has done half of them: the others will keep it busy for
        as long as the next ones need to be claimed.
        """
        spare = self._spare()
        self._ends_to_wait_for = spare / 2 if spare else math.inf
        linger = LONGEST_LINGER if spare else LINGER
        self._hurry.wait(max(0.0, self._flushed_at + linger - clock.monotonic()))
        self._ends_to_wait_for = math.inf
        self._hurry.clear()

    def _spare(self) -> int:
        """How many claimed runs wait for the pool; 0 also when they are few, since it may take those at once."""
        unstarted = sum(1 for hold in self.holds.values() if hold.started is None and not hold.ended)
        spare = unstarted - self.hands.pool_size
        return spare if spare > self.hands.pool_size else 0

    def _patience(self, timeout: float) -> float:
        """With work left over, wait only until the database is worth another try."""
        left_over = len(self._settling) or (len(self._intake) and not self._closing)
        return max(LINGER, min(timeout, self._ledger.wait)) if left_over else timeout

    def _is_over(self) -> bool:
        if self._stop_by is None:
            return False
        return (not len(self._settling) and self._inbox.empty()) or clock.monotonic() > self._stop_by

    def _begin_stop(self) -> None:
        self._closing = True
        self._stop_by = clock.monotonic() + LAST_FLUSH_WITHIN
        self._ledger.hurry()

    def _hand_back(self, given_too: bool, done: threading.Event) -> None:
        self._intake.forget()
        try:
            self._handing_back.give(given_too=given_too)
        finally:
            done.set()
