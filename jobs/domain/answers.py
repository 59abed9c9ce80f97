"""What came of an HTTP call, and how the attempt ends by it.

==========================================================  ==========================================================
result of the call                                          outcome of the attempt
==========================================================  ==========================================================
2xx                                                         succeeded
408, 425, 429, 5xx                                          failed: a retry, not before its ``Retry-After``
no answer by the deadline                                   timed out: a retry, at-most-once dead
address refused, host unknown, no connection, TLS           failed: a retry
request sent, no answer that can be read                    broken off: a retry, at-most-once dead
any other status, 3xx included                              rejected: dead at once
ended by us                                                 cancelled
==========================================================  ==========================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from jobs.domain.bounds import bounded_json
from jobs.domain.outcomes import Fault, Kind, Outcome

_WORTH_ANOTHER_TRY = frozenset({408, 425, 429})


class FailureKind(StrEnum):
    """Why a call brought no answer."""

    TIMED_OUT = "timed_out"
    REFUSED_ADDRESS = "refused_address"
    UNRESOLVED = "unresolved"
    CONNECTION = "connection"
    TLS = "tls"
    PROTOCOL = "protocol"
    CANCELLED = "cancelled"


_FAULT_TYPES = {
    FailureKind.TIMED_OUT: "TimedOut",
    FailureKind.REFUSED_ADDRESS: "AddressRefused",
    FailureKind.UNRESOLVED: "Unresolved",
    FailureKind.CONNECTION: "ConnectionFailed",
    FailureKind.TLS: "TLSFailed",
    FailureKind.PROTOCOL: "ProtocolError",
    FailureKind.CANCELLED: "Cancelled",
}
_OUTCOMES = {FailureKind.TIMED_OUT: Kind.TIMED_OUT, FailureKind.CANCELLED: Kind.CANCELLED}


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer. ``text`` is masked, storable and at most 4 kB; ``is_cut``: there was more.

    ``location`` is where a redirect, or what was made, is said to be: masked, and never followed.
    ``seconds`` is the whole call's time, ``address`` where it went, ``retry_after`` in seconds from the answer on.
    """

    status: int
    reason: str
    seconds: float
    address: str
    content_type: str
    text: str
    is_cut: bool
    retry_after: float | None
    location: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """A call without an answer; ``message`` says what happened and what to do, ``address`` is the last one tried.

    ``may_have_acted``: the request was sent, at least in part.
    """

    kind: FailureKind
    message: str
    seconds: float
    address: str
    may_have_acted: bool = False


def outcome_of(result: Answer | Failure, *, retry_after_cap: float, limit: int) -> Outcome:
    """How the attempt ended. ``retry_after_cap`` in seconds; ``limit`` bounds result and error, in bytes."""
    if isinstance(result, Failure):
        otherwise = Kind.BROKEN_OFF if result.may_have_acted else Kind.FAILED
        fault = Fault.bounded(_FAULT_TYPES[result.kind], result.message, limit=limit)
        return Outcome(_OUTCOMES.get(result.kind, otherwise), fault=fault)
    kind = _kind(result.status)
    asked = result.retry_after if kind is Kind.FAILED else None
    return Outcome(
        kind,
        _result_json(result, limit),
        None if kind is Kind.SUCCEEDED else _fault(result, limit),
        None if asked is None else min(asked, retry_after_cap),
    )


def _kind(status: int) -> Kind:
    if 200 <= status < 300:
        return Kind.SUCCEEDED
    return Kind.FAILED if status in _WORTH_ANOTHER_TRY or status >= 500 else Kind.REJECTED


def _fault(answer: Answer, limit: int) -> Fault:
    said = f": {answer.text}" if answer.text else ""
    where = f', Location "{answer.location}"' if answer.location else ""
    message = f"{answer.reason or 'no reason given'}, in {answer.seconds:.2f} s{where}{said}"
    return Fault.bounded(f"HTTP {answer.status}", message, limit=limit)


def _result_json(answer: Answer, limit: int) -> str:
    return bounded_json(
        {
            "status": answer.status,
            "seconds": round(answer.seconds, 3),
            "address": answer.address,
            "answer": answer.text,
            "content_type": answer.content_type,
            "cut": answer.is_cut,
            **({"location": answer.location} if answer.location else {}),
        },
        limit,
    )
