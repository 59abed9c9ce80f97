"""Read what a dead-lettered message is about, whatever state it is in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jobs.domain.bounds import storable_text
from jobs.domain.letters import MAX_NAME, Letter
from jobs.domain.messages import MARKER_HEADER, RUN_HEADER, RunKey
from jobs.domain.wire_json import to_json

_STORED_APART = ("application_headers", "content_type", "content_encoding")
_REASONS = {
    "rejected": ("poison", "A worker could not read the message and rejected it"),
    "delivery_limit": ("delivery_limit", "The broker delivered the message too often without an acknowledgement"),
    "expired": ("expired", "A policy on the queue let the message expire"),
    "maxlen": ("maxlen", "A policy on the queue's length pushed the message out"),
}


@dataclass(frozen=True, slots=True)
class DeadRun:
    """A run's message that the broker gave up on, and why."""

    key: RunKey
    token: int
    reason: str
    message: str


def read_run(headers: Mapping[str, Any]) -> DeadRun | None:
    """The run that the message is of; None when it is not ours, or cannot be told."""
    try:
        run = headers[RUN_HEADER]
        key, token = RunKey.parse(run["key"]), int(run["token"])
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
    reason, sentence = _why(headers)
    return DeadRun(key, token, reason, sentence)


def is_marker(headers: Mapping[str, Any]) -> bool:
    """Whether it is a marker that expired: nothing is owed to it."""
    return MARKER_HEADER in headers


def read_letter(message: Any) -> Letter:
    """A message that is none of ours, whole; TypeError or RecursionError for what no database can keep.

    It died in the queue of its newest death; where it was first published stands with that death too.
    """
    headers = message.headers or {}
    death = _newest_death(headers)
    routing_keys = death.get("routing-keys")
    came_by = message.delivery_info or {}
    return Letter(
        queue=_name(death.get("queue") or headers.get("x-first-death-queue")),
        exchange=_name(death.get("exchange", came_by.get("exchange"))),
        routing_key=_name(
            routing_keys[0] if isinstance(routing_keys, list) and routing_keys else came_by.get("routing_key")
        ),
        reason=_name(death.get("reason") or headers.get("x-first-death-reason")),
        task=_name(headers.get("task")),
        headers=to_json(headers),
        properties=to_json({name: value for name, value in message.properties.items() if name not in _STORED_APART}),
        content_type=_name(message.content_type),
        content_encoding=_name(message.content_encoding),
        body=_raw(message.body),
    )


def _why(headers: Mapping[str, Any]) -> tuple[str, str]:
    death = _newest_death(headers)
    word = str(headers.get("x-first-death-reason") or death.get("reason") or "dead_lettered")
    reason, sentence = _REASONS.get(word, (word, "The broker gave the message up"))
    queue = headers.get("x-first-death-queue") or death.get("queue") or "an unknown queue"
    return reason, f"{sentence} ({word} from {queue})."


def _newest_death(headers: Mapping[str, Any]) -> dict[str, Any]:
    deaths = headers.get("x-death")
    return deaths[0] if isinstance(deaths, list) and deaths and isinstance(deaths[0], dict) else {}


def _name(value: object) -> str:
    """A name that can be stored; of a longer one, which AMQP knows not, the beginning."""
    return storable_text(value)[:MAX_NAME] if isinstance(value, str) else ""


def _raw(body: Any) -> bytes:
    return body.encode() if isinstance(body, str) else bytes(body or b"")
