"""Runs whose lease or start deadline has run out. Transactions are the callers'."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from jobs.domain.lost_lease import Fate, fate
from jobs.domain.messages import RunKey
from jobs.store.leases import HISTORY
from jobs.store.statement import Statement

_LOCK = Statement("lock_expired")
_SETTLE = Statement("settle_lost")
_END_MISSED = Statement("end_missed")


@dataclass(frozen=True, slots=True)
class Expired:
    """A lease that ran out, locked. ``attempt`` is its number, None when no start of it was noted."""

    key: RunKey
    token: int
    worker: UUID
    attempt: int | None
    fate: Fate


def lock_expired(
    *, now: datetime | None, lease_seconds: float, lo: datetime, hi: datetime, limit: int
) -> list[Expired]:
    """Lock leases that ran out and judge them, in key order."""
    rows = _LOCK.rows(now=now, lease_seconds=lease_seconds, lo=lo, hi=hi, limit=limit)
    return [_judged(row) for row in rows]


def _judged(row: Any) -> Expired:
    what = fate(
        is_cancelled=row.is_cancelled,
        delivery=row.delivery,
        attempts=row.attempts,
        max_attempts=row.max_attempts,
        losses=row.losses,
        is_noted=row.is_noted,
    )
    attempt = row.attempts if row.is_noted else None
    return Expired(RunKey(row.job_id, row.scheduled_for), row.token, row.locked_by, attempt, what)


def settle_lost(lost: Sequence[Expired], *, lo: datetime, hi: datetime, now: datetime | None) -> None:
    """End leases whose rows are locked."""
    if lost:
        _SETTLE.run(
            job_id=[run.key.job_id for run in lost],
            scheduled_for=[run.key.scheduled_for for run in lost],
            token=[run.token for run in lost],
            status=[run.fate.status for run in lost],
            delay=[run.fate.delay for run in lost],
            note=[run.fate.note for run in lost],
            attempt=[run.attempt for run in lost],
            history=HISTORY,
            lo=lo,
            hi=hi,
            now=now,
        )


def end_missed(*, now: datetime | None, lo: datetime, hi: datetime, limit: int) -> list[RunKey]:
    """End queued runs past their start deadline; the keys of those ended."""
    return [RunKey(row.job_id, row.scheduled_for) for row in _END_MISSED.rows(now=now, lo=lo, hi=hi, limit=limit)]
