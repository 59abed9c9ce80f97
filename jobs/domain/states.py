"""The life of a run: its statuses and every way from one to another, in one place.

The tables' CHECKs, the set of terminal statuses and the diagram in the docs are made from here.
"""

from __future__ import annotations

from enum import StrEnum


class RunStatus(StrEnum):
    """Where a run stands."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    DEAD = "dead"
    SKIPPED = "skipped"
    MISSED = "missed"
    CANCELLED = "cancelled"

    @property
    def is_terminal(self) -> bool:
        return self not in ACTIVE


class Trigger(StrEnum):
    """What made a run."""

    SCHEDULE = "schedule"
    MANUAL = "manual"
    API = "api"
    DEPENDENCY = "dependency"
    BACKFILL = "backfill"


class GapReason(StrEnum):
    """Why slots did not run."""

    EDITED = "edited"
    PAUSED = "paused"
    DISABLED = "disabled"
    INVALID = "invalid"
    DEADLINE = "deadline"
    CATCH_UP = "catch_up"
    BEYOND_RETENTION = "beyond_retention"


ACTIVE = frozenset({RunStatus.QUEUED, RunStatus.RUNNING})
TERMINAL = frozenset(set(RunStatus) - ACTIVE)

TRANSITIONS: dict[RunStatus, frozenset[RunStatus]] = {
    # missed: the start deadline passed; dead: an unknown task or a poisoned message
    RunStatus.QUEUED: frozenset({RunStatus.RUNNING, RunStatus.MISSED, RunStatus.CANCELLED, RunStatus.DEAD}),
    # queued: retry, hand-back, reaped lease; missed: claimed, but its body would start too late
    RunStatus.RUNNING: frozenset(
        {RunStatus.QUEUED, RunStatus.SUCCEEDED, RunStatus.DEAD, RunStatus.MISSED, RunStatus.CANCELLED}
    ),
    RunStatus.DEAD: frozenset({RunStatus.QUEUED}),  # replay
    RunStatus.SUCCEEDED: frozenset(),
    RunStatus.SKIPPED: frozenset(),
    RunStatus.MISSED: frozenset(),
    RunStatus.CANCELLED: frozenset(),
}


def is_allowed(before: RunStatus, after: RunStatus) -> bool:
    """Whether a run may go from one status to the other."""
    return after in TRANSITIONS[before]
