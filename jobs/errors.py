"""Every error that Beatkeeper raises, in one tree, branched by who must act.

BeatkeeperError
├── CallerError            the caller asked for something that cannot be (HTTP 4xx)
│   ├── InvalidFieldError  one field of a definition or a setting
│   │   └── InvalidScheduleError
│   ├── NotFoundError      no such job or run
│   ├── ConflictError      the thing is in a state that does not allow it
│   │   ├── NameTakenError   a living job has the name
│   │   └── BusyError      the same request is at work already: send it again
│   ├── ChangedError       someone else has changed it since it was read (HTTP 412)
│   ├── KeyReusedError     an idempotency key came with another request (HTTP 422)
│   ├── LengthRequiredError  a body without its length (HTTP 411)
│   ├── TooLargeError      more than the limit that the message states (HTTP 413)
│   ├── NotAllowedError    the token's scopes or team do not allow it (HTTP 403)
│   ├── UnknownCallerError  no token, or none that lives (HTTP 401)
│   ├── RateLimitedError   too many requests with one token (HTTP 429)
│   ├── TopologyError      the broker holds a queue or an exchange of our name, made otherwise
│   └── UnreadableSecretError  sealed with a key that the settings no longer hold
├── FencedError            nobody acts: the right to write was lost, write nothing more
│   └── LeadershipLostError  a newer term exists
├── DependencyError        try again later: database or broker
│   └── ShardsDifferError  the database's number of shards is another than this process's
└── jobs.client.ClientError  what the client of the HTTP API raises; a tree of its own
"""

from __future__ import annotations


class BeatkeeperError(Exception):
    """Root of the tree."""


class CallerError(BeatkeeperError):
    """The request cannot be carried out as it stands."""


class InvalidFieldError(CallerError):
    """A field's value cannot work. ``str()`` says the value, what is allowed and what to do."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class InvalidScheduleError(InvalidFieldError):
    """A schedule that cannot be parsed, or never fires."""


class NotFoundError(CallerError):
    """No job or run of that name or key."""


class ConflictError(CallerError):
    """The state of the job or run does not allow this; the message names the state."""


class NameTakenError(ConflictError):
    """A living job has the name that a new one was to have."""

    def __init__(self, name: str) -> None:
        super().__init__(f'A job "{name}" exists. Choose another name, or edit or archive that one.')


class BusyError(ConflictError):
    """The first request with this idempotency key has not been answered yet."""


class ChangedError(CallerError):
    """The version that the caller has read is no longer the current one."""


class KeyReusedError(CallerError):
    """An idempotency key names one request; this is another."""


class LengthRequiredError(CallerError):
    """The request's body comes without its length."""


class TooLargeError(CallerError):
    """The request is larger than the limit that the message states."""


class NotAllowedError(CallerError):
    """The token may not do this; the message names the scope or the team."""


class UnknownCallerError(CallerError):
    """The request has no token, or none that is known and living."""


class RateLimitedError(CallerError):
    """Too many requests with one token; ``retry_after`` is in seconds."""

    def __init__(self, message: str, *, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class TopologyError(CallerError):
    """The broker holds a queue or an exchange of our name, made otherwise; the message says the mend."""


class UnreadableSecretError(CallerError):
    """A secret was sealed with another key; the message says the mend."""


class FencedError(BeatkeeperError):
    """The right to write has passed to someone else."""


class LeadershipLostError(FencedError):
    """A newer term of the shard exists."""


class DependencyError(BeatkeeperError):
    """The database or the broker did not do its part; ``retry_after`` is in seconds."""

    def __init__(self, message: str, *, retry_after: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ShardsDifferError(DependencyError):
    """This process has another number of shards than the jobs are divided into: it must not lead."""

    def __init__(self, here: int, written: int) -> None:
        super().__init__(f'The jobs are divided into {written} shards, and BEATKEEPER["SHARDS"] is {here} here.')
        self.here, self.written = here, written
