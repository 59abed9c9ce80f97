"""Count the slots in gaps, by the definition in force then. A gap without a slot is deleted."""

from __future__ import annotations

from django.db import transaction

from jobs import clock
from jobs.domain.schedules import build
from jobs.domain.states import GapReason
from jobs.store.gaps import GapCount, UncountedGap, delete_gaps, lock_uncounted, set_counts

CAP = 10_000
BATCH = 100
# One call's share of a tick. A gap costs up to some 50 ms, when it reaches the cap.
LONGEST_SECONDS = 0.2


def count_gaps() -> int:
    """Count some gaps that wait for it; returns how many."""
    stop_at = clock.monotonic() + LONGEST_SECONDS
    counts: list[GapCount] = []
    empty: list[int] = []
    with transaction.atomic():
        for gap in lock_uncounted(BATCH):
            counted = _count(gap)
            if counted.count or gap.reason is GapReason.INVALID:
                counts.append(counted)
            else:
                empty.append(gap.id)
            if clock.monotonic() > stop_at:
                break
        set_counts(counts)
        delete_gaps(empty)
    return len(counts) + len(empty)


def _count(gap: UncountedGap) -> GapCount:
    """The gap's slots; of a definition that cannot be read none can be named, and the count is a floor."""
    try:
        count = build(gap.spec).count(gap.after, gap.until, CAP + 1)
    except Exception:  # as in planning, a definition written past all checks can raise anything
        return GapCount(gap.id, 0, is_capped=True)
    return GapCount(gap.id, min(count, CAP), is_capped=count > CAP)
