"""A dead letter goes back to the queue it died in as it was, or is discarded, once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from celery.app import app_or_default

from jobs.broker import post as post_module
from jobs.domain.letters import Letter
from jobs.errors import ConflictError, DependencyError, NotFoundError
from jobs.models import DeadLetter
from jobs.services.dispose_letter import discard, send_back
from jobs.services.keep_letters import keep_letters
from jobs.worker.dead_letter import read_letter
from tests.integration.broker.conftest import Broker
from tests.support.proxy import Proxy
from tests.support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("committed")
HEADERS = {
    "task": "team.task",
    "id": "1",
    "nested": {"list": [1, 2.5, True, None, "ü"], "raw": b"\xff\x00"},
    "price": Decimal("1.5"),
    "since": datetime(2026, 1, 1),
    "$text": "looks like ours",
    "zero": "a\x00b",
    "CC": ["elsewhere"],
}


@pytest.fixture
def team_queue(broker: Broker) -> Iterator[str]:
    """A queue of someone else that dead-letters into a queue that only this test reads."""
    name = f"test.team.{uuid4().hex[:12]}"
    channel = broker.connection.default_channel
    arguments = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": f"{name}.dead"}
    channel.queue_declare(name, durable=True, auto_delete=False, arguments=arguments)
    channel.queue_declare(f"{name}.dead", durable=True, auto_delete=False)
    yield name
    for queue in (name, f"{name}.dead"):
        channel.queue_delete(queue)


def died(broker: Broker, queue: str, body: bytes = b"\xff{", **options: Any) -> DeadLetter:
    """Publish a message to a queue, reject it there, and keep what the broker makes of it."""
    channel = broker.connection.default_channel
    channel.auto_decode = False
    options = {"content_type": "application/json", "content_encoding": "utf-8", "headers": HEADERS, **options}
    with broker.connection.Producer() as producer:
        producer.publish(body, exchange="", routing_key=queue, correlation_id="c-1", priority=3, **options)
    channel.basic_reject(wait_until(lambda: channel.basic_get(queue)).delivery_tag, requeue=False)
    dead = wait_until(lambda: channel.basic_get(f"{queue}.dead", no_ack=True))
    assert keep_letters([read_letter(channel.message_to_python(dead))]) == [True]
    return DeadLetter.objects.latest("id")


def kept(**fields: Any) -> DeadLetter:
    """A letter by hand."""
    letter = {"queue": "", "exchange": "", "routing_key": "", "reason": "", "task": "", "headers": {}, "properties": {}}
    assert keep_letters([Letter(**{**letter, "content_type": "", "content_encoding": "", "body": b"x", **fields})])
    return DeadLetter.objects.latest("id")


def test_it_goes_back_as_it_was_without_the_traces_of_its_death(broker: Broker, team_queue: str) -> None:
    letter = died(broker, team_queue)
    assert letter.queue == team_queue

    assert send_back(letter.pk, who="ann") == team_queue

    (message,) = broker.take(team_queue)
    assert bytes(message.body) == b"\xff{"
    assert message.headers == {name: value for name, value in HEADERS.items() if name != "CC"}
    assert (message.content_type, message.content_encoding) == ("application/json", "utf-8")
    assert (message.properties["correlation_id"], message.properties["priority"]) == ("c-1", 3)
    letter.refresh_from_db()
    assert (letter.state, letter.disposed_at is not None) == ("sent_back", True)


def test_it_can_die_and_go_back_again(broker: Broker, team_queue: str) -> None:
    send_back(died(broker, team_queue, headers={}).pk)
    channel = broker.connection.default_channel
    channel.basic_reject(wait_until(lambda: channel.basic_get(team_queue)).delivery_tag, requeue=False)
    assert wait_until(lambda: channel.basic_get(f"{team_queue}.dead", no_ack=True))


def test_it_stays_kept_when_no_queue_takes_it(broker: Broker) -> None:
    letter = kept(queue="test.no-such-queue")
    with pytest.raises(
        ConflictError, match=r'did not take the message for queue "test\.no-such-queue": no queue is there'
    ):
        send_back(letter.pk)
    letter.refresh_from_db()
    assert letter.state == "kept"


def test_an_exchange_that_is_gone_is_told(broker: Broker) -> None:
    letter = kept(exchange="test.no-such-exchange", routing_key="a")
    with pytest.raises(ConflictError, match=r'exchange "test\.no-such-exchange", routing key "a": NOT_FOUND'):
        send_back(letter.pk)


@pytest.mark.parametrize("came", [{}, {"exchange": "jobs.dlx"}, {"queue": "jobs.dead"}])
def test_what_came_by_no_queue_cannot_go_back(broker: Broker, came: dict[str, str]) -> None:
    with pytest.raises(ConflictError, match=r"came to jobs\.dead by no queue"):
        send_back(kept(**came).pk)


def test_it_stays_kept_while_the_broker_is_away(broker: Broker, team_queue: str, monkeypatch: Any) -> None:
    letter = kept(queue=team_queue)
    monkeypatch.setattr(app_or_default().conf, "broker_write_url", "amqp://guest:guest@127.0.0.1:1//")
    with pytest.raises(DependencyError, match="Try again"):
        send_back(letter.pk)
    letter.refresh_from_db()
    assert letter.state == "kept"


def test_a_silent_broker_is_waited_for_in_bounds(
    broker: Broker, team_queue: str, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(post_module, "_SECONDS", 0.5)
    letter = kept(queue=team_queue)
    proxy.hold()
    with pytest.raises(DependencyError):
        send_back(letter.pk)


def test_it_is_disposed_of_once(broker: Broker, team_queue: str) -> None:
    sent, gone = kept(queue=team_queue), kept(queue=team_queue)
    send_back(sent.pk)
    discard(gone.pk)
    for act in (send_back, discard):
        with pytest.raises(ConflictError, match=f"Dead letter {sent.pk} is sent back already"):
            act(sent.pk)
        with pytest.raises(ConflictError, match=f"Dead letter {gone.pk} is discarded already"):
            act(gone.pk)
        with pytest.raises(NotFoundError, match="There is no dead letter 0"):
            act(0)
    assert broker.depth(team_queue) == 1
