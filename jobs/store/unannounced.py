"""Ended runs whose end is to be told. Transactions are the callers'."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from jobs.domain.messages import RunKey
from jobs.store.arrays import array
from jobs.store.days import whole_days
from jobs.store.statement import Statement

_LOCK = Statement("lock_unannounced")
_MARK = Statement("mark_announced")


class EndedRun(NamedTuple):
    """A run that has ended with this token, and the endpoint to tell."""

    key: RunKey
    token: int
    webhook_id: int


def lock_unannounced(*, lo: datetime, hi: datetime, limit: int) -> list[EndedRun]:
    """Lock some, oldest end first; a run that someone holds is passed by."""
    rows = _LOCK.rows(lo=lo, hi=hi, limit=limit)
    return [EndedRun(RunKey(row.job_id, row.scheduled_for), row.token, row.webhook_id) for row in rows]


def mark_announced(runs: Sequence[EndedRun]) -> int:
    """Note that these are told; how many."""
    slots = [run.key.scheduled_for for run in runs]
    return _MARK.run(job_ids=array(run.key.job_id for run in runs), slots=array(slots), **whole_days(slots))
