"""What the end of a body means that did not come from the body itself, but from its process or its limits."""

from __future__ import annotations

from celery.exceptions import Terminated, TimeLimitExceeded, WorkerLostError

from jobs.conf import config
from jobs.domain.outcomes import Fault, Kind, Outcome

# A terminated child says SystemExit or Terminated, by who sees its end first; a killed one is lost.
_ENDED = (Terminated, WorkerLostError, SystemExit, KeyboardInterrupt)


def outcome_of_end(error: BaseException, *, was_asked: bool, at_once: bool) -> Outcome:
    """``was_asked``: we ended this body ourselves; ``at_once``: the whole worker is being ended."""
    if isinstance(error, TimeLimitExceeded):
        return _outcome(Kind.TIMED_OUT, error, f"The hard limit of {error.args[0]} s passed; the body was killed.")
    if not isinstance(error, _ENDED):
        return _outcome(Kind.FAILED, error, str(error))
    if was_asked:
        return Outcome(Kind.CANCELLED)
    if at_once:
        return _outcome(Kind.INTERRUPTED, error, "The worker was told to stop at once.")
    return _outcome(Kind.WORKER_LOST, error, f"The process of the body ended: {error}")


def _outcome(kind: Kind, error: BaseException, message: str) -> Outcome:
    return Outcome(kind, fault=Fault.bounded(type(error).__name__, message, limit=config().error_max))
