"""Workers measured in turns on one noisy machine: while one works the others stand still, stopped by SIGSTOP.

A turn is short, so that whatever else the machine does falls on both; the ratio is the median over pairs of turns,
each pair run back to back. Progress is how far the queue has sunk, asked of the broker or, where the queue is a table,
of the database: work that no worker has yet.
"""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from jobs import clock
from tests.support.waiting import let_pass, wait_until

TURN_SECONDS = 1.0
# How many times its fastest turn a queue must still hold, so that the next turn finds enough for the whole of it.
_TURNS_KEPT = 1.5


@dataclass(slots=True)
class Contender:
    """A worker's processes, which stand still between its turns; ``left``: how much its queue still holds."""

    name: str
    processes: Sequence[subprocess.Popen[bytes]]
    left: Callable[[], int]
    rates: list[float] = field(default_factory=list)

    def wait_until_consuming(self) -> None:
        """Let it take the first messages, then stop it."""
        filled = self.left()
        wait_until(lambda: self.left() < filled, timeout=60, what=f"a worker of {self.name}", every=0.02)
        self._signal(signal.SIGSTOP)

    def take_turn(self) -> float:
        """What was taken from the queue a second in one turn."""
        left, began = self.left(), clock.monotonic()
        self._signal(signal.SIGCONT)
        let_pass(TURN_SECONDS)
        self._signal(signal.SIGSTOP)
        took = clock.monotonic() - began
        rate = (left - self.left()) / took
        self.rates.append(rate)
        return rate

    @property
    def has_enough(self) -> bool:
        """Whether its queue holds enough for one more turn."""
        return self.left() > _TURNS_KEPT * TURN_SECONDS * max(self.rates, default=0.0)

    def _signal(self, number: int) -> None:
        for process in self.processes:
            os.killpg(process.pid, number)


def depth(channel: Any, queue: str) -> int:
    """Messages that no worker has."""
    return int(channel.queue_declare(queue, passive=True).message_count)


def alternate(ours: Contender, peer: Contender, *, pairs: int) -> float:
    """The median ratio of our rate to the peer's over up to ``pairs`` pairs of turns, after one to warm up."""
    ratios = []
    for number, (first, second) in enumerate(_orders(ours, peer, pairs + 1)):
        first.take_turn()
        second.take_turn()
        if number:
            ratios.append(ours.rates[-1] / peer.rates[-1])
        if not (ours.has_enough and peer.has_enough):
            break
    for contender in (ours, peer):
        del contender.rates[0]
    return statistics.median(ratios)


def _orders(ours: Contender, peer: Contender, number: int) -> Iterator[tuple[Contender, Contender]]:
    """Who begins alternates too."""
    for turn in range(number):
        yield (ours, peer) if turn % 2 else (peer, ours)


def rounds(contenders: Sequence[Contender], number: int) -> None:
    """Give each contender up to ``number`` turns after one to warm up, forwards and backwards."""
    for turn in range(number + 1):
        if not all(contender.has_enough for contender in contenders):
            break
        for contender in contenders if turn % 2 else reversed(contenders):
            contender.take_turn()
    for contender in contenders:
        del contender.rates[0]
