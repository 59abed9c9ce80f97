"""The constant range of ``scheduled_for`` that every keyed statement carries."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, time


def whole_days(slots: Collection[datetime]) -> dict[str, datetime]:
    """``lo`` and ``hi``: the UTC days that hold the slots, so that only their partitions are looked at.

    Whole days and not the slots' own bounds: the planner has no idea how many rows one new minute has, expects almost
    none, and then compares each row of the batch with each of them. Of a whole day it expects all.
    """
    return {
        "lo": datetime.combine(min(slots).date(), time.min, min(slots).tzinfo),
        "hi": datetime.combine(max(slots).date(), time.max, max(slots).tzinfo),
    }
