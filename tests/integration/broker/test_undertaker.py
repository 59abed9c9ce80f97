"""The undertaker ends queued runs whose messages died, and touches nothing else."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError
from kombu import Connection

from jobs.broker import topology
from jobs.store.clock import database_now
from jobs.worker import undertaker as undertaker_module
from jobs.worker.undertaker import Undertaker
from tests.integration.broker.conftest import Broker, change, run
from tests.support.waiting import wait_until


class Worker:
    """As much of a Celery consumer as the step needs; ``until`` is its event loop."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.timer = SimpleNamespace(call_repeatedly=lambda seconds, call: None)
        self._soon: list[Callable[[], None]] = []

    def call_soon(self, call: Callable[..., None], *args: Any) -> None:
        self._soon.append(lambda: call(*args))

    def until(self, predicate: Callable[[], Any]) -> None:
        def turn() -> Any:
            with contextlib.suppress(TimeoutError):
                self.connection.drain_events(timeout=0.05)
            while self._soon:
                self._soon.pop()()
            return predicate()

        wait_until(turn, every=0.01)


@pytest.fixture
def worker(committed: None, broker: Broker, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    """An undertaker at work on a dead letter queue that only this test uses."""
    monkeypatch.setattr(topology, "DEAD_LETTER_QUEUE", broker.queue + ".dead")
    monkeypatch.setattr(topology, "DEAD_LETTER_EXCHANGE", broker.queue + ".dlx")
    broker.delete()
    topology.dead_letter_queue().bind(broker.connection.default_channel).declare()
    topology.declare_queue(broker.connection, broker.queue)
    with broker.connection.clone() as connection:
        worker = Worker(connection)
        step = Undertaker(worker)
        step.start(worker)
        yield worker
        step.shutdown(worker)
    broker.delete(topology.DEAD_LETTER_QUEUE)
    broker.connection.default_channel.exchange_delete(topology.DEAD_LETTER_EXCHANGE)


def dies(broker: Broker, headers: dict[str, Any], body: Any = b"{", **options: Any) -> None:
    """Publish a message, and reject it as a worker does that cannot read it."""
    options = {"content_type": "application/json", "content_encoding": "utf-8", **options}
    with broker.connection.Producer() as producer:
        producer.publish(body, exchange="jobs", routing_key=broker.queue, headers=headers, **options)
    channel = broker.connection.default_channel
    message = wait_until(lambda: channel.basic_get(broker.queue))
    channel.basic_reject(message.delivery_tag, requeue=False)


def left(broker: Broker) -> int:
    """How many messages stand in the dead letter queue, held ones not counted."""
    return broker.depth(topology.DEAD_LETTER_QUEUE)


def test_a_queued_run_whose_message_was_rejected_is_dead_with_the_reason(
    worker: Worker, broker: Broker, make_runs: Any
) -> None:
    (key,) = make_runs()
    dies(broker, {"jobs-run": {"key": str(key), "token": 0}})

    worker.until(lambda: run(key).status == "dead")

    buried = run(key)
    assert buried.finished_at is not None
    assert buried.last_error.startswith("poison: A worker could not read the message")
    assert (buried.errors[-1]["kind"], buried.attempts) == ("poison", 0)


def test_a_message_of_an_older_token_ends_nothing(worker: Worker, broker: Broker, make_runs: Any) -> None:
    """I4"""
    retried, running, last = make_runs(3)
    change(retried, token=1)
    change(running, status="running", locked_by="0" * 32, locked_until=database_now())
    for key in (retried, running, last):
        dies(broker, {"jobs-run": {"key": str(key), "token": 0}})

    worker.until(lambda: run(last).status == "dead")

    assert (run(retried).status, run(running).status) == ("queued", "running")


def test_what_is_not_ours_stays_and_does_not_block_what_is(worker: Worker, broker: Broker, make_runs: Any) -> None:
    (key,) = make_runs()
    for _ in range(60):
        dies(broker, {"task": "team.task", "id": "x"})
    dies(broker, {"jobs-run": {"key": str(key), "token": 0}})

    worker.until(lambda: run(key).status == "dead")
    worker.connection.close()
    wait_until(lambda: left(broker) == 60)


def test_an_expired_marker_is_acknowledged(worker: Worker, broker: Broker, make_runs: Any) -> None:
    (key,) = make_runs()
    dies(broker, {"task": "jobs.marker", "jobs-marker": {"queue": broker.queue, "sent_at": "2026-01-01"}})
    dies(broker, {"jobs-run": {"key": str(key), "token": 0}})

    worker.until(lambda: run(key).status == "dead")
    worker.until(lambda: True)
    worker.connection.close()
    wait_until(lambda: left(broker) == 0)


@pytest.mark.parametrize(
    "options",
    [
        {"headers": {"compression": "application/x-nonsense", "jobs-run": "x"}},
        {"headers": {"jobs-run": {"key": "1-1", "token": 2**40}}},
        {"headers": {}, "body": b"\xff\xfe", "content_encoding": "no-such"},
    ],
)
def test_a_message_of_any_shape_leaves_the_undertaker_at_work(
    worker: Worker, broker: Broker, make_runs: Any, options: dict[str, Any]
) -> None:
    (key,) = make_runs()
    dies(broker, **options)
    dies(broker, {"jobs-run": {"key": str(key), "token": 0}})

    worker.until(lambda: run(key).status == "dead")


def test_a_database_that_is_away_is_waited_for(
    worker: Worker, broker: Broker, make_runs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (key,) = make_runs()
    real, failures = undertaker_module.bury, [1]

    def bury(*args: Any, **options: Any) -> bool:
        if failures:
            failures.pop()
            raise OperationalError("away")
        return real(*args, **options)

    monkeypatch.setattr(undertaker_module, "bury", bury)
    dies(broker, {"jobs-run": {"key": str(key), "token": 0}})

    worker.until(lambda: run(key).status == "dead")
