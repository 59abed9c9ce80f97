"""The event that a webhook brings: Standard Webhooks 1.0.0, "Payload structure"."""

from __future__ import annotations

from typing import Any

from jobs.domain.states import RunStatus


def event(status: RunStatus, *, timestamp: str | None, operation: dict[str, Any]) -> dict[str, Any]:
    """``type`` is ``run.`` and the status that the run has ended in; ``timestamp`` is when."""
    return {"type": f"run.{status}", "timestamp": timestamp, "data": operation}


def event_id(run: str, end: int) -> str:
    """``webhook-id``: the same for all attempts to tell of one end, another one for the end after a replay.

    ``end`` is the run's token then. No dot: the signature is made over "id.timestamp.body".
    """
    return f"{run}-{end}"
