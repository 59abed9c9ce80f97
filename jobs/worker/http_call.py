"""An HTTP run in a worker: the call of its attempt, and the making of it."""

from __future__ import annotations

from typing import Any

from jobs import clock
from jobs.conf import config
from jobs.domain.answers import Answer, Failure, outcome_of
from jobs.domain.http_body import Facts
from jobs.domain.outcomes import Fault, Kind, Outcome
from jobs.errors import UnreadableSecretError
from jobs.store.http_targets import Target
from jobs.targets.call import Call
from jobs.targets.compose import compose
from jobs.targets.curl import post
from jobs.worker.ended import AttemptEndedError


class CannotCallError(AttemptEndedError):
    """There is nothing to call."""


def prepare(target: Target, facts: Facts, *, only_once: bool, content: Any = None) -> Call:
    """The call of an attempt that begins now; CannotCallError says how the attempt ends without one.

    ``content`` is sent as it is, in place of the target's body.
    """
    if not target.enabled:
        raise _cannot(
            Kind.REJECTED, "EndpointDisabled", f'Endpoint "{target.endpoint}" is disabled. Enable it, then replay.'
        )
    try:
        timestamp = int(clock.utcnow().timestamp())
        return compose(target, facts, timestamp=timestamp, only_once=only_once, content=content)
    except UnreadableSecretError as error:
        raise _cannot(Kind.FAILED, "UnreadableSecret", str(error)) from error
    except ValueError as error:  # what raw SQL put into the tables
        raise _cannot(Kind.REJECTED, "InvalidCall", str(error)) from error


def make(call: Call, retry_after_cap: float) -> tuple[int, Outcome, float]:
    """What a pool runs: make the call and wait for its end. Returns (0, outcome, seconds), as a trace does."""
    result = post(call)
    return 0, outcome(result, retry_after_cap), result.seconds


def outcome(result: Answer | Failure, retry_after_cap: float) -> Outcome:
    """How the attempt ended; a Retry-After counts up to the cap, in seconds."""
    return outcome_of(result, retry_after_cap=retry_after_cap, limit=config().error_max)


def _cannot(kind: Kind, type_name: str, message: str) -> CannotCallError:
    return CannotCallError(Outcome(kind, fault=Fault.bounded(type_name, message, limit=config().error_max)))
