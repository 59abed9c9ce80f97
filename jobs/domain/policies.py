"""The closed sets of words a job's policies are written in."""

from __future__ import annotations

from enum import StrEnum


class ConcurrencyPolicy(StrEnum):
    """What happens when a slot comes while a run of the job is queued or running."""

    ALLOW = "allow"
    FORBID = "forbid"
    REPLACE = "replace"


class CatchUp(StrEnum):
    """Which slots missed in an outage still run."""

    SKIP = "skip"
    LATEST = "latest"
    ALL = "all"


class Backoff(StrEnum):
    """How the wait between attempts grows."""

    EXPONENTIAL = "exponential"
    FIXED = "fixed"


class Jitter(StrEnum):
    """How a wait is spread: ``full`` draws it evenly from zero to its length."""

    FULL = "full"
    NONE = "none"


class Delivery(StrEnum):
    """What a lost lease means: run it again, or never twice."""

    AT_LEAST_ONCE = "at_least_once"
    AT_MOST_ONCE = "at_most_once"
