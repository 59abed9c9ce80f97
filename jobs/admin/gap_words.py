"""Gaps in words: how many slots did not run, and why."""

from __future__ import annotations

from jobs.domain.states import GapReason
from jobs.models import SlotGap

REASONS = {
    GapReason.EDITED: "the job was edited before they were emitted",
    GapReason.PAUSED: "the job was paused",
    GapReason.DISABLED: "the job was disabled or archived",
    GapReason.INVALID: "the definition could not be planned",
    GapReason.DEADLINE: "the starting deadline had passed",
    GapReason.CATCH_UP: "missed in an outage, and the job's catch-up leaves them out",
    GapReason.BEYOND_RETENTION: "older than runs are kept",
}


def reason(gap: SlotGap) -> str:
    """Why the slots did not run."""
    return REASONS[GapReason(gap.reason)]


def slots(gap: SlotGap) -> str:
    """How many slots lie in the range; a floor where the leader stopped counting."""
    if gap.count is None:
        return "not counted yet"
    return f"≥ {gap.count:,}" if gap.is_capped else f"{gap.count:,}"
