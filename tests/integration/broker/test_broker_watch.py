"""What the dispatcher tells of the broker: at once when it changes, every 5 s as a sign of life, else nothing."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from jobs.beat.dispatcher import Dispatcher
from jobs.domain.platform import BrokerState
from jobs.services.platform import platform_status
from jobs.store import broker_trace, state
from jobs.store.broker_trace import BrokerTrace
from tests.integration.broker.conftest import Broker
from tests.support.proxy import Proxy
from tests.support.waiting import wait_until


def told() -> BrokerTrace:
    """What stands in the database."""
    found = broker_trace.read(state.get(state.BROKER))
    assert found is not None
    return found[0]


def written(dispatcher: Dispatcher) -> int:
    """How often a tick wrote."""
    with CaptureQueriesContext(connection) as queries:
        dispatcher.tick()
    return sum("How the dispatcher finds the broker" in query["sql"] for query in queries)


def test_it_tells_of_a_broker_that_takes_messages(dispatcher: Dispatcher) -> None:
    dispatcher.tick()
    assert told() == BrokerTrace(BrokerState.CONNECTED)


def test_it_writes_nothing_while_nothing_changes_but_a_sign_of_life(dispatcher: Dispatcher) -> None:
    dispatcher.tick()
    assert [written(dispatcher) for _ in range(3)] == [0, 0, 0]
    dispatcher._watch._told_at -= 5
    assert [written(dispatcher) for _ in range(2)] == [1, 0]


def test_it_tells_at_once_of_a_broker_that_is_blocked_and_of_its_end(dispatcher: Dispatcher) -> None:
    dispatcher.tick()
    amqp_connection = dispatcher._publisher._connection
    amqp_connection.on_blocked("low on memory")  # type: ignore[union-attr]  # as py-amqp calls it
    dispatcher.tick()
    assert told() == BrokerTrace(BrokerState.BLOCKED, "low on memory")
    assert platform_status().facts.broker.because == "low on memory"
    amqp_connection.on_unblocked()  # type: ignore[union-attr]
    dispatcher.tick()
    assert told().state is BrokerState.CONNECTED


def test_it_tells_of_a_broker_that_is_away_and_why(committed: None, broker: Broker, proxy: Proxy) -> None:
    dispatcher = Dispatcher()
    dispatcher.tick()
    proxy.refuse()
    wait_until(lambda: dispatcher.tick() or told().state is BrokerState.AWAY, what="the broker's absence to be told")
    assert "Error" in told().because
    proxy.listen()
    wait_until(lambda: dispatcher.tick() or told().state is BrokerState.CONNECTED, what="its return to be told")
    assert told().because == ""
    dispatcher.close()


def test_it_tells_of_a_queue_that_takes_nothing_until_it_does(
    dispatcher: Dispatcher, broker: Broker, make_runs: Any
) -> None:
    make_runs()
    broker.delete()
    dispatcher.tick()
    assert told().state is BrokerState.CONNECTED
    assert set(told().queues) == {broker.queue}
    assert "No queue took messages" in told().queues[broker.queue]
    wait_until(lambda: dispatcher.tick() and not told().queues, what="the queue to be made anew")


@pytest.mark.usefixtures("unanswered")
def test_it_tells_of_an_answer_that_stays_away(broker: Broker) -> None:
    assert "has not answered a batch" in told().queues[broker.queue]
