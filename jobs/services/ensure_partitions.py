"""Make the partitions that inserts will need, ahead of them."""

from __future__ import annotations

from datetime import datetime, timedelta

from jobs import log
from jobs.conf import config
from jobs.services.retention import retention_day
from jobs.store.partitions import ensure

DAYS_AHEAD = 14
# Planning and locks grow with the number of partitions: stay under 60.
MOST_DAY_PARTITIONS = 45


def ensure_partitions(now: datetime) -> int:
    """Make the missing partitions from the retention's first day to 14 days ahead; returns how many it made."""
    first, last = retention_day(now).date(), (now + timedelta(days=DAYS_AHEAD)).date()
    made = ensure(first, last, wide=config().retention_days + DAYS_AHEAD > MOST_DAY_PARTITIONS)
    if made:
        log.event("partitions.made", count=made, first=first, last=last)
    return made
