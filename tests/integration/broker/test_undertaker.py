"""The undertaker ends queued runs whose messages died, keeps what is not ours, and touches nothing else."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from kombu import Connection

from jobs.broker import topology
from jobs.models import DeadLetter
from jobs.store.clock import database_now
from jobs.worker import burials as burials_module
from jobs.worker import undertaker as undertaker_module
from jobs.worker.undertaker import Undertaker
from tests.integration.broker.conftest import Broker, change, run
from tests.support.elsewhere import Elsewhere
from tests.support.fails_once import fails_once
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


def nothing_is_left(worker: Worker, broker: Broker) -> None:
    """Neither in the queue nor held."""
    worker.until(lambda: True)
    worker.connection.close()
    wait_until(lambda: left(broker) == 0)


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


def test_what_is_not_ours_is_kept_whole_and_does_not_block_what_is(
    worker: Worker, broker: Broker, make_runs: Any
) -> None:
    (key,) = make_runs()
    for number in range(60):
        dies(broker, {"task": "team.task", "id": "x"}, body=b"\xff\x00%d" % number)
    dies(broker, {"jobs-run": {"key": str(key), "token": 0}})

    worker.until(lambda: run(key).status == "dead" and DeadLetter.objects.count() == 60)

    letter = DeadLetter.objects.order_by("id")[7]
    assert (letter.queue, letter.exchange, letter.routing_key) == (broker.queue, "jobs", broker.queue)
    assert (letter.reason, letter.task, letter.state) == ("rejected", "team.task", "kept")
    assert (letter.content_type, letter.content_encoding) == ("application/json", "utf-8")
    assert (bytes(letter.body), letter.size) == (b"\xff\x007", 3)
    assert letter.headers["id"] == "x"
    nothing_is_left(worker, broker)


@pytest.mark.parametrize("encoding", ["utf-16", "base64", "no-such", "utf-8"])
def test_a_body_is_kept_as_the_bytes_that_came(worker: Worker, broker: Broker, encoding: str) -> None:
    """Nothing is decoded, and nothing is decompressed: it goes back as it was."""
    body = zlib.compress(b"x" * 1000)
    dies(broker, {"compression": "application/x-gzip"}, body=body, content_encoding=encoding)

    worker.until(lambda: DeadLetter.objects.exists())

    letter = DeadLetter.objects.get()
    assert bytes(letter.body) == body
    assert letter.headers["compression"] == "application/x-gzip"


def test_what_is_too_large_to_keep_stays_in_the_queue(
    worker: Worker, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(undertaker_module, "MAX_BODY", 10)
    dies(broker, {"task": "large"}, body=b"x" * 11)
    dies(broker, {"task": "small"}, body=b"x" * 10)

    worker.until(lambda: DeadLetter.objects.filter(task="small").exists())
    worker.until(lambda: True)
    worker.connection.close()

    wait_until(lambda: left(broker) == 1)
    assert DeadLetter.objects.count() == 1


def test_a_letter_is_acknowledged_once_another_session_sees_it(
    worker: Worker, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen_elsewhere: list[int] = []
    real = undertaker_module._acknowledge
    with Elsewhere() as there:

        def acknowledge(message: Any) -> None:
            seen_elsewhere.append(there.do(DeadLetter.objects.count))
            real(message)

        monkeypatch.setattr(undertaker_module, "_acknowledge", acknowledge)
        dies(broker, {"task": "team.task"})
        worker.until(lambda: seen_elsewhere)

    assert seen_elsewhere == [1]
    nothing_is_left(worker, broker)


def test_a_letter_whose_acknowledgement_is_lost_comes_again(
    worker: Worker, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash between the commit and that stores it twice, and never loses it."""
    monkeypatch.setattr(undertaker_module, "_acknowledge", lambda message: None)
    dies(broker, {"task": "team.task"})

    worker.until(lambda: DeadLetter.objects.exists())
    worker.connection.close()

    wait_until(lambda: left(broker) == 1)


def test_a_letter_that_cannot_be_kept_stays_and_holds_up_no_other(
    worker: Worker, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = burials_module.read_letter

    def read_letter(message: Any) -> Any:
        if message.headers["task"] == "bad":
            raise TypeError("no")
        return real(message)

    monkeypatch.setattr(burials_module, "read_letter", read_letter)
    for task in ("bad", "good"):
        dies(broker, {"task": task})

    worker.until(lambda: DeadLetter.objects.filter(task="good").exists())
    worker.until(lambda: True)
    worker.connection.close()

    wait_until(lambda: left(broker) == 1)


def test_an_expired_marker_is_acknowledged(worker: Worker, broker: Broker, make_runs: Any) -> None:
    (key,) = make_runs()
    dies(broker, {"task": "jobs.marker", "jobs-marker": {"queue": broker.queue, "sent_at": "2026-01-01"}})
    dies(broker, {"jobs-run": {"key": str(key), "token": 0}})

    worker.until(lambda: run(key).status == "dead")
    nothing_is_left(worker, broker)
    assert not DeadLetter.objects.exists()


@pytest.mark.parametrize(
    ("options", "letters"),
    [
        ({"headers": {"compression": "application/x-nonsense", "jobs-run": "x"}}, 1),
        ({"headers": {"jobs-run": {"key": "1-1", "token": 2**40}}}, 0),  # a run's, of a token that it never had
        ({"headers": {}, "body": b"\xff\xfe", "content_encoding": "no-such"}, 1),
    ],
)
def test_a_message_of_any_shape_leaves_the_undertaker_at_work(
    worker: Worker, broker: Broker, make_runs: Any, options: dict[str, Any], letters: int
) -> None:
    (key,) = make_runs()
    dies(broker, **options)
    dies(broker, {"jobs-run": {"key": str(key), "token": 0}})

    worker.until(lambda: run(key).status == "dead")
    nothing_is_left(worker, broker)
    assert DeadLetter.objects.count() == letters


def test_a_database_that_is_away_is_waited_for(
    worker: Worker, broker: Broker, make_runs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (key,) = make_runs()
    monkeypatch.setattr(burials_module, "bury", fails_once(burials_module.bury))
    dies(broker, {"jobs-run": {"key": str(key), "token": 0}})

    worker.until(lambda: run(key).status == "dead")
    nothing_is_left(worker, broker)
    assert not DeadLetter.objects.exists()


def test_letters_are_tried_again_until_the_database_is_back(
    worker: Worker, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(burials_module, "keep_letters", fails_once(burials_module.keep_letters))
    dies(broker, {"task": "team.task"})

    worker.until(lambda: DeadLetter.objects.exists())
    nothing_is_left(worker, broker)
    assert DeadLetter.objects.get().task == "team.task"
