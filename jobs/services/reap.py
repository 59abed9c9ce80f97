"""Give back the runs whose lease has run out, and end those whose start deadline has passed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.db import transaction

from jobs import log
from jobs.conf import config
from jobs.store.clock import database_now
from jobs.store.expired import end_missed, lock_expired, settle_lost

BATCH = 500
# Ever older partitions are looked at once a minute; each tick looks at these alone.
RECENT = timedelta(days=2)
AHEAD = timedelta(days=1)
_MICROSECOND = timedelta(microseconds=1)


def reap_expired(*, now: datetime | None = None, everywhere: bool = False) -> int:
    """End lost leases, up to 500; returns how many.

    The run goes back to its queue, unless it was asked to cancel, must not start twice, or has no attempt left.
    A row that someone holds is passed by: its worker is alive and renewing.
    """
    lo, hi = window(now or database_now(), everywhere=everywhere)
    with transaction.atomic():
        lost = lock_expired(now=now, lease_seconds=config().lease, lo=lo, hi=hi, limit=BATCH)
        settle_lost(lost, lo=lo, hi=hi, now=now)
    for run in lost:
        log.warning("run.lease_expired", run=run.key, status=run.fate.status, attempt=run.attempt, worker=run.worker)
    return len(lost)


def sweep_missed(*, now: datetime | None = None, everywhere: bool = False) -> int:
    """End queued runs that no longer may start as ``missed``, up to 500; returns how many."""
    lo, hi = window(now or database_now(), everywhere=everywhere)
    keys = end_missed(now=now, lo=lo, hi=hi, limit=BATCH)
    for key in keys:
        log.warning("run.missed", run=key)
    return len(keys)


def window(now: datetime, *, everywhere: bool) -> tuple[datetime, datetime]:
    """The range of scheduled_for to look at: constants for the planner, and whole days, so the same all day long."""
    if everywhere:
        return now - timedelta(days=36_500), now + timedelta(days=365)
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight - RECENT, midnight + AHEAD + timedelta(days=1) - _MICROSECOND
