"""How far back runs are kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from jobs.conf import config
from jobs.store.state import pruned_before


def retention_day(now: datetime) -> datetime:
    """The midnight (UTC) from which on runs are kept."""
    first = (now - timedelta(days=config().retention_days)).astimezone(UTC)
    return first.replace(hour=0, minute=0, second=0, microsecond=0)


def retention_floor(now: datetime) -> datetime:
    """The first instant that a slot may have; what was once pruned stays below it when retention grows."""
    pruned = pruned_before()
    return max(retention_day(now), pruned) if pruned else retention_day(now)
