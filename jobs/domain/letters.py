"""Dead letters: messages in ``jobs.dead`` that are no runs, and where one can be sent back to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from jobs.domain.messages import DEAD_LETTER_EXCHANGE, DEAD_LETTER_QUEUE

MAX_BODY = 16 * 1024**2
MAX_NAME = 255  # of queues, exchanges and routing keys, by AMQP
# What the broker adds when a message dies. A letter that goes back is a message like any other.
_OF_THE_DEATH = ("x-death", "x-first-death-", "x-last-death-", "x-delivery-count", "x-acquired-count")
# Copies for others, which they had when the message was first published.
_OF_COPIES = ("CC", "BCC")


class LetterState(StrEnum):
    """What became of a dead letter."""

    KEPT = "kept"
    SENT_BACK = "sent_back"
    DISCARDED = "discarded"


@dataclass(frozen=True, slots=True)
class Letter:
    """A message as it came from ``jobs.dead``; headers and properties as :mod:`jobs.domain.wire_json` writes them."""

    queue: str
    exchange: str
    routing_key: str
    reason: str
    task: str
    headers: dict[str, Any]
    properties: dict[str, Any]
    content_type: str
    content_encoding: str
    body: bytes


def way_back(*, queue: str, exchange: str, routing_key: str) -> tuple[str, str] | None:
    """(exchange, routing key) that reach the queue a letter died in, and no other; None when nobody knows it.

    The default exchange leads to the queue of that name. The letter's first exchange might hand copies to queues that
    have dealt with it long ago.
    """
    if queue and queue != DEAD_LETTER_QUEUE:
        return "", queue
    if exchange in ("", DEAD_LETTER_EXCHANGE):
        return None
    return exchange, routing_key


def headers_to_send(headers: dict[str, Any]) -> dict[str, Any]:
    """The headers without the traces of the death."""
    return {
        name: value
        for name, value in headers.items()
        if not (name in _OF_COPIES or any(name == mark or name.startswith(mark) for mark in _OF_THE_DEATH))
    }
