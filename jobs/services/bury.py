"""Bury a run whose message the broker gave up on: it is dead, with the reason, and can be replayed."""

from __future__ import annotations

from jobs import log
from jobs.domain.bounds import bounded_text
from jobs.domain.messages import RunKey
from jobs.store.statement import Statement

_BURY = Statement("bury_run")
_HISTORY = 20
_MESSAGE_MAX = 2000


def bury(key: RunKey, token: int, *, reason: str, message: str) -> bool:
    """End the run if it is still queued with this token; False when the message was an old one."""
    text = bounded_text(message, _MESSAGE_MAX)
    buried = _BURY.run(
        job_id=key.job_id,
        scheduled_for=key.scheduled_for,
        token=token,
        reason=bounded_text(reason, 50),
        message=text,
        history=_HISTORY,
    )
    if buried:
        log.error("run.buried", run=key, reason=reason, message=text)
    return bool(buried)
