"""Make the partitions that inserts will need, ahead of them."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta

from jobs import clock, log
from jobs.conf import config
from jobs.services.retention import retention_day
from jobs.store.partitions import ensure

DAYS_AHEAD = 14
# Planning and locks grow with the number of partitions: stay under 60.
MOST_DAY_PARTITIONS = 45


def ensure_partitions(now: datetime, *, within: float = math.inf) -> int:
    """Make the missing partitions from the retention's first day to 14 days ahead; returns how many it made.

    A day at a time, from today on and then back, until so many seconds have passed: after a long absence they are many,
    and a leader that was busy with all of them could not renew its term. 0: there is none left to make.
    """
    first, last = retention_day(now).date(), (now + timedelta(days=DAYS_AHEAD)).date()
    is_wide = config().retention_days + DAYS_AHEAD > MOST_DAY_PARTITIONS
    end, made = clock.monotonic() + within, 0
    for day in _most_urgent_first(first, now.date(), last):
        made += ensure(day, day, wide=is_wide)
        if made and clock.monotonic() > end:
            break
    if made:
        log.event("partitions.made", count=made, first=first, last=last)
    return made


def _most_urgent_first(first: date, today: date, last: date) -> list[date]:
    ahead = [today + timedelta(days=days) for days in range((last - today).days + 1)]
    return ahead + [today - timedelta(days=days) for days in range(1, (today - first).days + 1)]
