"""Part from a broker that may not answer any more.

On a line that was cut without a word AMQP's farewells have no end: Celery bounds those of the connection it consumes on
when that is lost, and leaves out the one it sends events on, and both when a worker closes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobs.worker.celery_parts import Consumer, bound_open_broker_sockets

ANSWER_SECONDS = 2.0
"""What the broker has for each answer while the worker closes."""


def leave_events(consumer: Consumer) -> None:
    """Close the connection of events without a farewell; it is made anew with the other one."""
    for connection in _of_events(consumer):
        connection.collect()


def bound_farewells(consumer: Consumer) -> None:
    """Let the worker close whether or not the broker answers. What was not acknowledged comes again and is denied."""
    connections = [consumer.connection] if consumer.connection else []
    for connection in (*connections, *_of_events(consumer)):
        bound_open_broker_sockets(connection, ANSWER_SECONDS)


def _of_events(consumer: Consumer) -> Iterator[Any]:
    dispatcher = consumer.event_dispatcher
    if dispatcher and dispatcher.connection:
        yield dispatcher.connection
