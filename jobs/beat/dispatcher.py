"""The dispatcher: a thread of the leader's process that sends queued runs and markers to the broker.

It has a database connection and a broker connection of its own, so the leader never waits for a broker. It needs no
term: a mark is guarded by the run's token, and two dispatchers at once only send copies that the claim denies.
When it dies between a confirm and the mark, the run is sent again. Without a broker it asks nothing of the database,
and only tells it so.

With several shards each has a dispatcher, which sends the runs of its own jobs alone, so that no run is sent twice.
Markers, the search for lost runs and what is told of the broker speak of whole queues: the first shard's does them.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping, Sequence
from datetime import timedelta

from django.db import connection

from jobs import log
from jobs.beat.broker_watch import BrokerWatch
from jobs.beat.queue_dispatch import QueueDispatch
from jobs.beat.sweep import Sweep
from jobs.broker.encoding import Content
from jobs.broker.pause import Pause
from jobs.broker.publisher import Publisher
from jobs.clock import monotonic
from jobs.conf import config
from jobs.services import mark
from jobs.store.unsent import ALL, Horizon, NextUnsent, Share, next_unsent

_CONFIRM_PATIENCE_SECONDS = 0.5  # a slower queue's answer is looked for in later ticks
_IDLE_SECONDS = 1.0
_BUSY_SECONDS = 0.25  # runs are due but cannot go: the window is full, or the broker is slow
_LONGEST_PAUSE_SECONDS = 10.0


class Dispatcher:
    """``start``, ``stop``, ``wake``; ``tick`` does one round and can be called by hand instead of starting it."""

    def __init__(self, share: Share = ALL) -> None:
        self._share = share
        self._publisher = Publisher()
        self._queues = deque(QueueDispatch(queue, share) for queue in config().queues)
        self._watch = BrokerWatch(self._publisher, [item.queue for item in self._queues])
        self._sweep = Sweep()
        self._lost_sweep = Sweep()
        self._lost_looked_for_at = 0.0
        self._seconds_to_next = _IDLE_SECONDS
        self._woken = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Run ticks in a thread until stopped."""
        self._thread = threading.Thread(target=self._run, name=f"dispatcher-{self._share.shard}", daemon=True)
        self._thread.start()

    def stop(self, timeout: float = 5.0) -> None:
        """End the thread; one that hangs in a dead connection is left behind after ``timeout`` seconds."""
        self._stopping.set()
        self._woken.set()
        if self._thread is not None:
            self._thread.join(timeout)

    def wake(self) -> None:
        """There may be something to send: do not wait for the next look."""
        self._woken.set()

    def tick(self) -> int:
        """One round; returns how many runs were marked as sent."""
        self._publisher.poll(0)
        marked = self._settle()
        if self._publisher.connect():
            self._publish()
            self._prepare()
            self._publisher.wait(self._expected(), _CONFIRM_PATIENCE_SECONDS)
            marked += self._settle()
        if self._share.is_first:
            self._find_lost()
            self._watch.tell()
        return marked

    def close(self) -> None:
        """End both connections."""
        self._publisher.close()
        connection.close()

    def _publish(self) -> None:
        """Start a batch on each free lane, a different queue first each time."""
        self._queues.rotate(-1)
        free = [item for item in self._queues if self._publisher.lane(item.queue).is_free]
        if not free:
            self._seconds_to_next = _BUSY_SECONDS
            return
        horizons = {item.queue: self._sweep.horizon(item.queue) for item in free}
        unsent = self._next_unsent(horizons)
        self._seconds_to_next = _seconds_to_next(unsent)
        due = {found.queue for found in unsent if found.run_after <= found.now}
        for item in free:
            is_due, needs_probe = item.queue in due, self._publisher.lane(item.queue).needs_probe
            batch = item.probe(is_due=is_due) if needs_probe else item.batch(horizons[item.queue], is_due=is_due)
            self._send(item, batch)

    def _next_unsent(self, horizons: Mapping[str, Horizon]) -> list[NextUnsent]:
        """What is to send, by one statement for all queues that look at the same slots."""
        return [
            found
            for horizon in set(horizons.values())
            for found in next_unsent([queue for queue, its in horizons.items() if its == horizon], horizon, self._share)
        ]

    def _send(self, item: QueueDispatch, batch: Sequence[Content]) -> None:
        if batch and self._publisher.publish(item.queue, batch):
            self._sweep.saw(item.queue, item.oldest_slot)

    def _prepare(self) -> None:
        """While the broker works on full batches, read the next ones."""
        for item in self._queues:
            if item.wants_more and self._is_expected(item):
                item.prepare(self._sweep.horizon(item.queue))

    def _expected(self) -> list[str]:
        return [item.queue for item in self._queues if self._is_expected(item)]

    def _is_expected(self, item: QueueDispatch) -> bool:
        return self._publisher.lane(item.queue).is_expected(_CONFIRM_PATIENCE_SECONDS)

    def _settle(self) -> int:
        """Take the broker's answers; a prepared batch follows at once, and the marks are made while it is under way."""
        marked = 0
        for item in self._queues:
            lane = self._publisher.lane(item.queue)
            if lane.is_answered:
                item.confirm(lane.take())
                if not lane.needs_probe:
                    self._send(item, item.prepared_batch())
            marked += item.mark()
        return marked

    def _find_lost(self) -> None:
        if monotonic() - self._lost_looked_for_at >= config().marker / 3:
            self._lost_looked_for_at = monotonic()
            mark.clear_lost(self._lost_sweep.horizon())

    def _run(self) -> None:
        pause = Pause(_LONGEST_PAUSE_SECONDS)
        while not self._stopping.is_set():
            self._woken.clear()
            try:
                if not self.tick():
                    self._woken.wait(self._seconds_to_next)
                pause.end()
            except Exception as error:  # the thread outlives whatever the database or the broker does
                pause.lengthen()
                log.error("dispatch.failed", error=repr(error), again_in=f"{pause.seconds:g}s")
                connection.close()
                self._stopping.wait(pause.seconds)
        self.close()


def _seconds_to_next(unsent: Sequence[NextUnsent]) -> float:
    """Until a retry is due, at most a second."""
    waits = [(item.run_after - item.now) / timedelta(seconds=1) for item in unsent]
    if any(wait <= 0 for wait in waits):
        return _BUSY_SECONDS
    return min([*waits, _IDLE_SECONDS])
