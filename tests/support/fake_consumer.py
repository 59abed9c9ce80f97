"""A clerk turned by hand: an event loop that does at once what it is told, and tasks that only note their start."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any

from django.db import OperationalError

from jobs import clock
from jobs.domain.messages import RunKey
from jobs.domain.outcomes import Outcome
from jobs.store.leases import Published
from jobs.worker.clerk import Clerk
from jobs.worker.hold import Hold


class FakeRequest:
    """Stands for a request whose body runs; remembers how it was ended."""

    def __init__(self) -> None:
        self.signals: list[str] = []

    def end(self, _pool: Any, signal: str) -> None:
        self.signals.append(signal)

    def tell(self, outcome: Outcome) -> None:
        raise AssertionError(outcome)


class FakeChannel:
    """A channel whose connection reads the acknowledgements that are written to it."""

    channel_id = 1

    def __init__(self, consumer: FakeConsumer) -> None:
        self.connection = self.transport = self
        self._consumer = consumer

    def write(self, frames: bytes) -> None:
        for start in range(0, len(frames), 21):
            kind, channel, size, class_id, method, tag, multiple, end = struct.unpack_from(">BHIHHQ?B", frames, start)
            assert (kind, channel, size, class_id, method, multiple, end) == (1, 1, 13, 60, 80, False, 0xCE)
            self._consumer.acknowledged.append(self._consumer.names[tag - 1])


class FakeConsumer:
    """An event loop that does at once what it is told, and tasks that only note that they were started."""

    connection = pool = "there"
    connection_errors = ()

    def __init__(self) -> None:
        self.started: list[Hold] = []
        self.acknowledged: list[Any] = []
        self.handlers = {"task": self.start}
        self.names: list[str] = []
        self.channel = FakeChannel(self)

    def call_soon(self, act: Any, *args: Any) -> None:
        act(*args)

    def start(self, message: Any, *_: Any) -> None:
        hold = message.jobs_hold
        hold.request, hold.given = FakeRequest(), True
        self.started.append(hold)

    def message(self, name: str) -> Any:
        self.names.append(name)
        message = SimpleNamespace(headers={"task": "task", "id": name}, acknowledged=False, jobs_hold=None)
        message.delivery_tag, message.channel = len(self.names), self.channel
        return message


def start(clerk: Clerk, consumer: FakeConsumer, *keys: RunKey) -> list[Hold]:
    """Runs that were claimed and whose bodies run."""
    for key in keys:
        clerk.arrived(consumer.message(str(key)), Published(key, 0))
    clerk.tick(0)
    for hold in consumer.started:
        hold.started = clock.monotonic()
    return [clerk.holds[key] for key in keys]


def finish(clerk: Clerk, hold: Hold, outcome: Outcome) -> None:
    hold.ended = True
    clerk.told(hold, outcome)


def away(*_: Any, **__: Any) -> Any:
    """Stands for a statement that never comes to the database."""
    raise OperationalError("the server closed the connection")
