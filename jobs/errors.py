"""Every error that Beatkeeper raises, in one tree, branched by who must act.

BeatkeeperError
├── CallerError            the caller asked for something that cannot be (HTTP 4xx)
│   ├── InvalidFieldError  one field of a definition or a setting
│   │   └── InvalidScheduleError
│   ├── NotFoundError      no such job or run
│   ├── ConflictError      the thing is in a state that does not allow it
│   ├── TopologyError      the broker holds a queue or an exchange of our name, made otherwise
│   └── UnreadableSecretError  sealed with a key that the settings no longer hold
├── FencedError            nobody acts: the right to write was lost, write nothing more
│   └── LeadershipLostError  a newer term exists
└── DependencyError        try again later: database or broker
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
