"""A thread of the leader's process for work that may wait long in the database: pruning, mending, statistics."""

from __future__ import annotations

import threading
from collections.abc import Callable

from django.db import connection

from jobs import log
from jobs.clock import monotonic
from jobs.services.mend_cursors import mend_cursors
from jobs.services.prune import analyze_fresh, prune_keys, prune_partitions, prune_records
from jobs.services.reshard import move_cursors, move_stranded
from jobs.store.clock import database_now

_ROUND_SECONDS = 10.0
_SLOW_ROUND_SECONDS = 600.0


class Housekeeper:
    """``start`` and ``stop``; ``tick`` does one round and can be called by hand instead."""

    def __init__(self) -> None:
        self._slow_round_at = 0.0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="housekeeper", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout: float = 1.0) -> None:
        """End the thread; one that waits in the database is left behind after ``timeout`` seconds."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(timeout)

    def tick(self) -> int:
        """One round; returns how many tables or records it dealt with."""
        steps = _EACH_ROUND
        if monotonic() >= self._slow_round_at:
            self._slow_round_at = monotonic() + _SLOW_ROUND_SECONDS
            steps += _SLOW_ROUND
        return sum(_done(step) for step in steps)

    def _run(self) -> None:
        while not self._stopping.wait(_ROUND_SECONDS):
            self.tick()
        connection.close()


def _done(step: Callable[[], int]) -> int:
    """How much a step did; one that fails keeps no other from its turn, and waits for its own next one."""
    try:
        return step()
    except Exception as error:  # the thread outlives whatever the database does
        log.error("housekeeping.failed", step=step.__name__.strip("_"), error=repr(error))
        connection.close()
        return 0


def _analyze_fresh() -> int:
    return len(analyze_fresh())


def _prune_partitions() -> int:
    return len(prune_partitions(database_now()))


def _prune_records() -> int:
    return prune_records(database_now())


_EACH_ROUND: tuple[Callable[[], int], ...] = (_analyze_fresh, move_stranded)
_SLOW_ROUND: tuple[Callable[[], int], ...] = (move_cursors, mend_cursors, _prune_partitions, _prune_records, prune_keys)
