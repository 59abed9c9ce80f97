"""Every error that the client raises, branched by who must act.

ClientError                   is a jobs.errors.BeatkeeperError
├── InvalidInputError         the caller: this cannot be sent as it stands, and nothing was sent
├── ConnectionFailedError     no answer came; what was asked may have been done
├── UnexpectedAnswerError     what answered is not the API
├── ApiError                  the API said no
│   ├── InvalidRequestError   400  ``errors`` says what is wrong with each field
│   ├── UnknownTokenError     401
│   ├── NotAllowedError       403  the token's scopes or team do not allow it
│   ├── NotFoundError         404
│   ├── ConflictError         409  the job or run is in a state that does not allow it
│   │   └── InProgressError   409  the first request with this key is still at work
│   ├── ChangedError          412  someone else has changed the job since it was read
│   ├── TooLargeError         413
│   ├── KeyReusedError        422  the idempotency key came with another request
│   ├── RateLimitedError      429
│   └── UnavailableError      502, 503, 504
├── OperationFailedError      the run has ended, and not well
└── OperationOpenError        the run has not ended in the time given; is a TimeoutError

All of them can be pickled, as errors of Celery tasks must.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from jobs.errors import BeatkeeperError

IN_PROGRESS = "urn:beatkeeper:problem:in-progress"


class ClientError(BeatkeeperError):
    """Root of the tree."""


class InvalidInputError(ClientError, ValueError):
    """The arguments of a call cannot be sent; the message says which, and what is allowed."""


class ConnectionFailedError(ClientError):
    """The server was not reached, or its answer did not arrive. ``was_sent``: it may have got the request."""

    def __init__(self, message: str, was_sent: bool) -> None:
        super().__init__(message, was_sent)
        self.message = message
        self.was_sent = was_sent

    def __str__(self) -> str:
        return self.message


class UnexpectedAnswerError(ClientError):
    """The answer is not one of the API: the address may be that of something else."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem document (RFC 9457). ``errors``: what is wrong with each field, by its path such as ``query.since``."""

    status: int
    type: str
    title: str
    detail: str
    errors: Mapping[str, str] = field(default_factory=dict)


class ApiError(ClientError):
    """What the API answered instead of doing it; ``str()`` is the problem's detail.

    ``status``, ``type``, ``title``, ``detail``, ``errors`` are the problem's; ``retry_after`` is in seconds, or None.
    """

    def __init__(self, problem: Problem, retry_after: float | None = None) -> None:
        super().__init__(problem, retry_after)
        self.status = problem.status
        self.type = problem.type
        self.title = problem.title
        self.detail = problem.detail
        self.errors = problem.errors
        self.retry_after = retry_after

    def __str__(self) -> str:
        return self.detail


class InvalidRequestError(ApiError):
    """400: a field or parameter cannot work."""


class UnknownTokenError(ApiError):
    """401: the token is unknown, expired or revoked."""


class NotAllowedError(ApiError):
    """403: the token has not the scope, or is of another team."""


class NotFoundError(ApiError):
    """404: there is no such thing, or the token does not reach it."""


class ConflictError(ApiError):
    """409: the job or run stands so that this cannot be done."""


class InProgressError(ConflictError):
    """409: the first request with this idempotency key has not been answered yet."""


class ChangedError(ApiError):
    """412: the job is no longer the one of this ETag. Read it again."""


class TooLargeError(ApiError):
    """413: the request is larger than the server takes."""


class KeyReusedError(ApiError):
    """422: the idempotency key named another request before."""


class RateLimitedError(ApiError):
    """429: too many requests with this token."""


class UnavailableError(ApiError):
    """502, 503, 504: the server, or what stands before it, cannot do its part now."""


class OperationFailedError(ClientError):
    """The run ended without success. ``code`` is its status, such as ``dead`` or ``cancelled``."""

    def __init__(self, name: str, code: str, message: str) -> None:
        super().__init__(name, code, message)
        self.name, self.code, self.message = name, code, message

    def __str__(self) -> str:
        return f"Operation {self.name} ended {self.code}: {self.message}"


class OperationOpenError(ClientError, TimeoutError):
    """The run goes on; ``status`` is how it stands."""

    def __init__(self, name: str, status: str) -> None:
        super().__init__(name, status)
        self.name, self.status = name, status

    def __str__(self) -> str:
        return f"Operation {self.name} is not done yet; its run is {self.status}."


_BY_STATUS: Mapping[int, type[ApiError]] = {
    400: InvalidRequestError,
    401: UnknownTokenError,
    403: NotAllowedError,
    404: NotFoundError,
    409: ConflictError,
    412: ChangedError,
    413: TooLargeError,
    422: KeyReusedError,
    429: RateLimitedError,
    502: UnavailableError,
    503: UnavailableError,
    504: UnavailableError,
}


def api_error(problem: Problem, retry_after: float | None) -> ApiError:
    """The error of a problem, by its status."""
    type_ = InProgressError if problem.type == IN_PROGRESS else _BY_STATUS.get(problem.status, ApiError)
    return type_(problem, retry_after)
