"""How an attempt ended, and what becomes of its run: the outcome table in one pure function.

========================================================  =====================================================
outcome of the body                                       becomes
========================================================  =====================================================
return · Ignore                                           succeeded · succeeded, noted ``ignored``
exception, soft time limit, MemoryError                   retry by policy, at the end dead
Retry (``self.retry``, autoretry)                         retry at its delay, at the end dead
hard time limit, a call broken off                        retry by policy, at the end dead; at-most-once dead
child lost, SystemExit                                    retry soon, at the end dead; at-most-once dead
Reject(requeue=True) · Reject, ``dont_autoretry_for``     retry by policy, at the end dead · dead at once
cancelled, revoked                                        cancelled
the worker was told to stop at once                       queued again at once; at-most-once dead
given to the pool too late                                missed
========================================================  =====================================================
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from jobs.domain.bounds import bounded_json, bounded_text
from jobs.domain.policies import Delivery
from jobs.domain.retry import RetryPolicy, delay
from jobs.domain.states import RunStatus

__all__ = ["Attempt", "Fault", "Kind", "Outcome", "Verdict", "bounded_json", "bounded_text", "judge"]

LONGEST_WAIT = 30 * 86_400.0
# Seconds after a lost child, and at most so many more. The loss says nothing of what the body calls, so there is no
# one to spare by the job's back-off. A body that kills its child each time still starves no other, and runs that one
# death took together come back a little apart.
LOST_WAIT, LOST_SPREAD = 1.0, 0.5
_MESSAGE_SHARE = 16
_TRACEBACK_SHARE = 4


class Kind(StrEnum):
    """How an attempt ended."""

    SUCCEEDED = "succeeded"
    IGNORED = "ignored"
    FAILED = "failed"
    RETRY = "retry"
    REQUEUED = "requeued"
    REJECTED = "rejected"
    TIMED_OUT = "timed_out"
    BROKEN_OFF = "broken_off"
    WORKER_LOST = "worker_lost"
    INTERRUPTED = "interrupted"
    CANCELLED = "cancelled"
    MISSED = "missed"


_SUCCESS = frozenset({Kind.SUCCEEDED, Kind.IGNORED})
# The body was cut off at an unknown place: what it had done by then is not known.
_CUT_OFF = frozenset({Kind.TIMED_OUT, Kind.BROKEN_OFF, Kind.WORKER_LOST, Kind.INTERRUPTED})


class Fault(NamedTuple):
    """What went wrong, bounded."""

    type: str
    message: str
    traceback: str = ""

    @classmethod
    def bounded(cls, type_name: str, message: str, traceback: str = "", *, limit: int) -> Fault:
        """A storable fault of at most about a third of ``limit`` bytes; of the traceback the end is kept."""
        return cls(
            bounded_text(type_name, 200),
            bounded_text(message, limit // _MESSAGE_SHARE),
            bounded_text(traceback, limit // _TRACEBACK_SHARE, keep="tail"),
        )

    def __str__(self) -> str:
        return f"{self.type}: {self.message}" if self.message else self.type


class Outcome(NamedTuple):
    """How an attempt ended. ``delay`` (seconds) and ``max_retries`` are what a Retry asked for.

    A tuple, since each one is pickled from a child to its parent.
    """

    kind: Kind
    result: str | None = None
    fault: Fault | None = None
    delay: float | None = None
    max_retries: int | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """What is known of the attempt by whoever judges it; ``number`` counts from 1."""

    number: int
    max_attempts: int
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    delivery: Delivery = Delivery.AT_LEAST_ONCE


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of the run: its next status, for ``queued`` the wait in seconds, and what is noted."""

    status: RunStatus
    delay: float = 0.0
    record: dict[str, Any] | None = None
    last_error: str = ""


def judge(outcome: Outcome, attempt: Attempt, draw: Callable[[], float] = random.random) -> Verdict:
    """What becomes of the run. A cancel request is judged by the database, which may know of a newer one."""
    status = _status(outcome, attempt)
    return Verdict(
        status,
        _wait(outcome, attempt, draw) if status is RunStatus.QUEUED else 0.0,
        _record(outcome, attempt),
        str(outcome.fault or "") if outcome.kind not in _SUCCESS else "",
    )


def _status(outcome: Outcome, attempt: Attempt) -> RunStatus:
    kind = outcome.kind
    if kind in _SUCCESS:
        return RunStatus.SUCCEEDED
    if kind is Kind.CANCELLED:
        return RunStatus.CANCELLED
    if kind is Kind.MISSED:
        return RunStatus.MISSED
    return RunStatus.QUEUED if _may_go_on(outcome, attempt) else RunStatus.DEAD


def _may_go_on(outcome: Outcome, attempt: Attempt) -> bool:
    if outcome.kind is Kind.REJECTED:
        return False
    if outcome.kind in _CUT_OFF and attempt.delivery is Delivery.AT_MOST_ONCE:
        return False
    if outcome.kind is Kind.INTERRUPTED:  # an operator's doing, not the body's: no attempt is held against it
        return True
    asked = outcome.max_retries
    return attempt.number < attempt.max_attempts and (asked is None or attempt.number <= asked)


def _wait(outcome: Outcome, attempt: Attempt, draw: Callable[[], float]) -> float:
    if outcome.kind is Kind.INTERRUPTED:
        return 0.0
    if outcome.kind is Kind.WORKER_LOST:
        return LOST_WAIT + LOST_SPREAD * draw()
    asked = outcome.delay
    if asked is None or math.isnan(asked):
        return delay(attempt.policy, attempt.number, draw)
    return min(max(0.0, asked), LONGEST_WAIT)


def _record(outcome: Outcome, attempt: Attempt) -> dict[str, Any] | None:
    if outcome.kind is Kind.SUCCEEDED:
        return None
    fault = outcome.fault or Fault("", "")
    return {
        "attempt": attempt.number,
        "kind": outcome.kind.value,
        "type": fault.type,
        "message": fault.message,
        "traceback": fault.traceback,
    }
