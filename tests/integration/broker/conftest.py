"""Queues of a test's own on the real broker, runs in the real database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from celery.app import app_or_default
from kombu import Connection

from jobs.beat.dispatcher import Dispatcher
from jobs.broker import topology
from jobs.broker.courier import courier
from jobs.conf import config
from jobs.domain.messages import RunKey
from jobs.models import JobRun
from jobs.store.clock import database_now
from jobs.store.runs import NewRun, insert_runs
from tests.support.factories import make_job
from tests.support.proxy import Proxy, proxy_to
from tests.support.waiting import wait_until


@dataclass
class Broker:
    """What a test may ask of the broker, directly."""

    connection: Connection
    queues: list[str]

    @property
    def queue(self) -> str:
        return self.queues[0]

    def depth(self, queue: str | None = None) -> int:
        channel = self.connection.default_channel
        return channel.queue_declare(queue or self.queue, passive=True).message_count

    def purge(self, queue: str | None = None) -> None:
        self.connection.default_channel.queue_purge(queue or self.queue)

    def delete(self, queue: str | None = None) -> None:
        self.connection.default_channel.queue_delete(queue or self.queue)

    def take(self, queue: str | None = None) -> list[Any]:
        """All messages that stand in the queue, acknowledged."""
        found = []
        while message := self.connection.default_channel.basic_get(queue or self.queue, no_ack=True):
            found.append(self.connection.default_channel.message_to_python(message))
        return found

    def runs(self, queue: str | None = None) -> list[dict[str, Any]]:
        """The run headers of what stands in the queue; markers are left out."""
        return [message.headers["jobs-run"] for message in self.take(queue) if "jobs-run" in message.headers]


@pytest.fixture
def broker(settings: Any) -> Iterator[Broker]:
    """Two queues that only this test uses."""
    names = [f"test.{uuid4().hex[:12]}" for _ in range(2)]
    settings.BEATKEEPER = {**settings.BEATKEEPER, "QUEUES": names}
    config.cache_clear()
    with app_or_default().connection_for_write() as connection:
        topology.declare(connection)
        found = Broker(connection, names)
        yield found
        for name in names:
            found.delete(name)
    courier().close()


@pytest.fixture
def dispatcher(committed: None, broker: Broker) -> Iterator[Dispatcher]:
    """A dispatcher whose ticks the test calls; its first markers are sent and gone."""
    yield from _ticked(broker)


@pytest.fixture
def proxied(committed: None, broker: Broker, proxy: Proxy) -> Iterator[Dispatcher]:
    """Such a dispatcher, whose way to the broker the test can hold or cut."""
    yield from _ticked(broker)


def _ticked(broker: Broker) -> Iterator[Dispatcher]:
    dispatcher = Dispatcher()
    dispatcher.tick()
    for queue in broker.queues:
        broker.purge(queue)
    yield dispatcher
    dispatcher.close()


@pytest.fixture
def unanswered(proxied: Dispatcher, make_runs: Any, proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> Dispatcher:
    """A dispatcher that waits for the broker's answer for longer than is borne in silence."""
    monkeypatch.setattr("jobs.broker.lane._SLOW_SECONDS", 0.1)
    make_runs()
    proxy.hold_answers()
    proxied.tick()
    return proxied


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """What publishes goes to the broker by way of this."""
    conf = app_or_default().conf
    with proxy_to(conf.broker_url) as proxy:
        monkeypatch.setattr(conf, "broker_write_url", proxy.url(conf.broker_url))
        yield proxy


@pytest.fixture
def make_runs(committed: None, broker: Broker) -> Any:
    """Insert queued runs that are due, a microsecond apart."""

    def make(count: int = 1, *, job: Any = None, ago: float = 10, **fields: Any) -> list[RunKey]:
        job = job or make_job(kind="manual")
        start = database_now() - timedelta(seconds=ago)
        fields.setdefault("queue", broker.queue)
        slots = [start + timedelta(microseconds=number) for number in range(count)]
        return sorted(
            insert_runs([NewRun(job.pk, slot, fields.get("run_after", slot), **_plain(fields)) for slot in slots])
        )

    return make


def _plain(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name != "run_after"}


def run(key: RunKey) -> JobRun:
    """The row of a run."""
    return JobRun.objects.get(job_id=key.job_id, scheduled_for=key.scheduled_for)


def change(key: RunKey, **fields: Any) -> None:
    """Put a run into a state, by hand."""
    JobRun.objects.filter(job_id=key.job_id, scheduled_for=key.scheduled_for).update(**fields)


def tick_until(dispatcher: Dispatcher, predicate: Any, timeout: float = 15, what: str = "") -> None:
    """Tick until the predicate holds."""
    wait_until(lambda: dispatcher.tick() >= 0 and predicate(), timeout, what)


def body(message: Any) -> Any:
    """A message's decoded body."""
    return json.loads(message.body)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)
