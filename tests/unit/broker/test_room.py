"""How often the room in a queue's window is counted: the count's cost follows what waits for workers."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from jobs.beat import queue_dispatch
from jobs.beat.queue_dispatch import QueueDispatch
from jobs.services import dispatch
from jobs.store.unsent import ALL, Horizon

WINDOW = 100_000
HORIZON = Horizon.hot(datetime(2026, 1, 1, tzinfo=UTC))


class Counted:
    """A database in which ``waiting`` runs wait for a worker, and that takes ``seconds`` to count them."""

    def __init__(self) -> None:
        self.waiting, self.seconds, self.counts, self.now = 0, 0.0, 0, 1000.0

    def count(self, *_: Any, **__: Any) -> int:
        self.counts += 1
        self.now += self.seconds
        return self.waiting


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    counted = Counted()
    monkeypatch.setattr(queue_dispatch, "monotonic", lambda: counted.now)
    monkeypatch.setattr(queue_dispatch, "count_unclaimed", counted.count)
    monkeypatch.setattr(queue_dispatch, "config", lambda: SimpleNamespace(shard_window=WINDOW, marker=10.0))
    monkeypatch.setattr(dispatch, "select_unsent", lambda *_, **__: [])
    return counted


def look(queue: QueueDispatch, counted: Counted, *, seconds: float, every: float) -> int:
    """Look for runs for so long; returns how often the room was counted."""
    before, until = counted.counts, counted.now + seconds
    while counted.now < until:
        queue.prepare(HORIZON)
        counted.now += every
    return counted.counts - before


@pytest.fixture
def queue(counted: Counted) -> QueueDispatch:
    return QueueDispatch("jobs.default", ALL)


def test_where_there_is_room_for_many_batches_it_is_counted_every_ten_seconds(
    queue: QueueDispatch, counted: Counted
) -> None:
    assert look(queue, counted, seconds=29, every=0.05) == 3


def test_a_full_window_is_counted_at_each_look_while_that_is_quick(queue: QueueDispatch, counted: Counted) -> None:
    counted.waiting = WINDOW
    assert look(queue, counted, seconds=5, every=0.25) == 20


def test_a_full_window_that_is_slow_to_count_takes_a_twentieth_of_the_time(
    queue: QueueDispatch, counted: Counted
) -> None:
    counted.waiting, counted.seconds = WINDOW, 0.2
    assert 5 <= look(queue, counted, seconds=30, every=0.25) <= 8
