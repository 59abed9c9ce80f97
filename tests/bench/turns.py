"""Two workers measured in turns on one noisy machine: while one works the other stands still, stopped by SIGSTOP.

A turn is short, so that whatever else the machine does falls on both; the ratio is the median over pairs of turns,
each pair run back to back. Progress is how far the queue has sunk, asked of the broker: the same for both.
"""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from jobs import clock
from tests.support.waiting import let_pass, wait_until

TURN_SECONDS = 1.0
# What a worker may take in one turn and still find enough for the whole of it.
_MOST_A_TURN = 3000


@dataclass(slots=True)
class Contender:
    """A worker that stands still between its turns, and the filled queue it consumes."""

    worker: subprocess.Popen[bytes]
    channel: Any
    queue: str
    rates: list[float] = field(default_factory=list)

    def wait_until_consuming(self) -> None:
        """Let it take the first messages, then stop it."""
        filled = self.left()
        wait_until(lambda: self.left() < filled, timeout=60, what=f"a worker on {self.queue}", every=0.02)
        self._signal(signal.SIGSTOP)

    def take_turn(self) -> float:
        """Messages a second in one turn."""
        left, began = self.left(), clock.monotonic()
        self._signal(signal.SIGCONT)
        let_pass(TURN_SECONDS)
        self._signal(signal.SIGSTOP)
        rate = (left - self.left()) / (clock.monotonic() - began)
        self.rates.append(rate)
        return rate

    def left(self) -> int:
        """Messages that no worker has."""
        return int(self.channel.queue_declare(self.queue, passive=True).message_count)

    def _signal(self, number: int) -> None:
        os.killpg(self.worker.pid, number)


def alternate(ours: Contender, peer: Contender, *, pairs: int) -> float:
    """The median ratio of our rate to the peer's over up to ``pairs`` pairs of turns, after one to warm up."""
    ratios = []
    for number, (first, second) in enumerate(_orders(ours, peer, pairs + 1)):
        first.take_turn()
        second.take_turn()
        if number:
            ratios.append(ours.rates[-1] / peer.rates[-1])
        if min(ours.left(), peer.left()) < _MOST_A_TURN:
            break
    for contender in (ours, peer):
        del contender.rates[0]
    return statistics.median(ratios)


def _orders(ours: Contender, peer: Contender, number: int) -> Iterator[tuple[Contender, Contender]]:
    """Who begins alternates too."""
    for turn in range(number):
        yield (ours, peer) if turn % 2 else (peer, ours)
