"""Read what a dead-lettered message is about, whatever state it is in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jobs.domain.messages import MARKER_HEADER, RUN_HEADER, RunKey

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


def _why(headers: Mapping[str, Any]) -> tuple[str, str]:
    deaths = headers.get("x-death")
    death = deaths[0] if isinstance(deaths, list) and deaths and isinstance(deaths[0], dict) else {}
    word = str(headers.get("x-first-death-reason") or death.get("reason") or "dead_lettered")
    reason, sentence = _REASONS.get(word, (word, "The broker gave the message up"))
    queue = headers.get("x-first-death-queue") or death.get("queue") or "an unknown queue"
    return reason, f"{sentence} ({word} from {queue})."
