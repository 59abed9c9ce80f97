"""Our exchanges and queues, and the check that what the broker holds is what we would declare.

The topic exchange ``jobs`` carries runs and markers to durable quorum queues, routed by the queue's name. What a
queue gives up on (a reject, a policy's limit) goes through ``jobs.dlx`` to ``jobs.dead``. A queue's arguments
cannot be changed once it exists, so only its type and its dead letter exchange are arguments; limits that may
change with a release (delivery limit, length, TTL) are set by policy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, TypeVar

import amqp
from kombu import Connection, Exchange, Queue
from kombu.exceptions import ChannelError

from jobs.conf import config
from jobs.domain.messages import DEAD_LETTER_EXCHANGE, DEAD_LETTER_QUEUE, EXCHANGE
from jobs.errors import TopologyError

T = TypeVar("T")
AnyConnection: TypeAlias = Connection | amqp.Connection  # kombu's, or the one below it
_QUORUM = {"x-queue-type": "quorum"}
_NOT_FOUND = 404
_PRECONDITION_FAILED = 406


def exchange() -> Exchange:
    """Where runs and markers are published; the routing key is the queue's name."""
    return Exchange(EXCHANGE, type="topic", durable=True)


def dead_letter_exchange() -> Exchange:
    """Where queues send what they give up on, whatever its routing key."""
    return Exchange(DEAD_LETTER_EXCHANGE, type="fanout", durable=True)


def queue(name: str) -> Queue:
    """One of our queues, as publishers and workers both declare it."""
    arguments = {**_QUORUM, "x-dead-letter-exchange": DEAD_LETTER_EXCHANGE}
    return Queue(name, exchange(), routing_key=name, durable=True, queue_arguments=arguments)


def dead_letter_queue() -> Queue:
    """What the undertaker consumes."""
    return Queue(DEAD_LETTER_QUEUE, dead_letter_exchange(), routing_key="", durable=True, queue_arguments=_QUORUM)


def queues() -> tuple[Queue, ...]:
    """The queues of runs, by the configuration."""
    return tuple(queue(name) for name in config().queues)


def declare(connection: AnyConnection) -> None:
    """Make what is missing; TopologyError names the first thing that exists otherwise, and the mend."""
    for entity in _entities():
        _on_channel(connection, entity, lambda found: found.declare())


def declare_queue(connection: AnyConnection, name: str) -> None:
    """Make one queue of runs with its binding, where it is missing; TopologyError as for :func:`declare`."""
    _on_channel(connection, queue(name), lambda found: found.declare())


def check(connection: AnyConnection) -> list[str]:
    """The names that are missing, and nothing is made; TopologyError as for :func:`declare`."""
    return [entity.name for entity in _entities() if not _exists_as_meant(connection, entity)]


def _entities() -> Iterator[Exchange | Queue]:
    yield dead_letter_exchange()
    yield dead_letter_queue()
    yield exchange()
    yield from queues()


def _exists_as_meant(connection: AnyConnection, entity: Exchange | Queue) -> bool:
    """A passive declaration ignores type and arguments, so an active one follows where the thing exists."""
    if not _on_channel(connection, entity, _declare_passively):
        return False
    return _on_channel(connection, entity, _declare_itself)


def _declare_passively(entity: Exchange | Queue) -> bool:
    try:
        _declare_itself(entity, passive=True)
    except ChannelError as error:
        if _reply_code(error) == _NOT_FOUND:
            return False
        raise
    return True


def _declare_itself(entity: Exchange | Queue, *, passive: bool = False) -> bool:
    """Without the exchange and the binding that ``Queue.declare`` would add."""
    if isinstance(entity, Queue):
        entity.queue_declare(passive=passive)
    else:
        entity.declare(passive=passive)
    return True


def _on_channel(connection: AnyConnection, entity: Exchange | Queue, act: Callable[[Exchange | Queue], T]) -> T:
    """Act on a channel of its own, since the broker closes the channel of a refused declaration."""
    channel: Any = connection.channel()
    with channel:
        try:
            return act(entity.bind(channel))
        except ChannelError as error:
            if _reply_code(error) == _PRECONDITION_FAILED:
                raise TopologyError(_mend(connection, entity, error)) from error
            raise


def _reply_code(error: Exception) -> int:
    return getattr(error, "code", 0) or getattr(error, "reply_code", 0)


def _mend(connection: AnyConnection, entity: Exchange | Queue, error: Exception) -> str:
    host = connection.virtual_host
    says = getattr(error, "reply_text", "") or str(error)
    if isinstance(entity, Queue):
        way_out = (
            f"Delete it with `rabbitmqctl delete_queue -p {host} {entity.name}` and start again: it is made anew, and "
            "queued runs are sent again from the database; move messages that are not Beatkeeper's away first."
        )
    else:
        way_out = (
            f"Delete it, for example with `rabbitmqadmin --vhost {host} delete exchange name={entity.name}`, "
            "and start again: it is made anew with its bindings."
        )
    kind = type(entity).__name__
    return f'{kind} "{entity.name}" exists on the broker, but not as Beatkeeper declares it ({says}). {way_out}'
