"""What stands on the broker is what Beatkeeper declares, or it is said what to do."""

from __future__ import annotations

import pytest

from jobs.broker import topology
from jobs.errors import TopologyError
from tests.integration.broker.conftest import Broker
from tests.support.waiting import wait_until


def test_declaring_again_changes_nothing(broker: Broker) -> None:
    topology.declare(broker.connection)

    assert topology.check(broker.connection) == []


def test_checking_names_what_is_missing_and_makes_nothing(broker: Broker) -> None:
    broker.delete()

    assert topology.check(broker.connection) == [broker.queue]
    assert topology.check(broker.connection) == [broker.queue]


@pytest.mark.parametrize("look", [topology.check, topology.declare])
def test_a_queue_made_otherwise_is_named_with_the_mend(broker: Broker, look: object) -> None:
    broker.delete()
    broker.connection.default_channel.queue_declare(broker.queue, durable=True, auto_delete=False)

    with pytest.raises(TopologyError) as caught:
        look(broker.connection)  # type: ignore[operator]

    assert f'Queue "{broker.queue}" exists on the broker' in str(caught.value)
    assert f"delete_queue -p {broker.connection.virtual_host} {broker.queue}" in str(caught.value)
    topology.declare_queue(broker.connection, broker.queues[1])  # the connection is still good


def test_an_exchange_of_another_type_is_named_with_the_mend(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    name = broker.queue + ".exchange"
    monkeypatch.setattr(topology, "EXCHANGE", name)
    channel = broker.connection.default_channel
    channel.exchange_declare(name, "direct", durable=True, auto_delete=False)
    try:
        with pytest.raises(TopologyError, match=f'Exchange "{name}" exists on the broker.*delete exchange name={name}'):
            topology.check(broker.connection)
    finally:
        channel.exchange_delete(name)


def test_a_queue_that_was_deleted_is_made_with_its_binding(broker: Broker) -> None:
    broker.delete()

    topology.declare_queue(broker.connection, broker.queue)

    with broker.connection.Producer() as producer:
        producer.publish({}, exchange="jobs", routing_key=broker.queue, mandatory=True)
    wait_until(lambda: broker.depth() == 1)
