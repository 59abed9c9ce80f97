"""Record gaps and count them. Transactions are the callers'."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from jobs.domain.catch_up import GapRange
from jobs.domain.schedules import ScheduleSpec
from jobs.domain.states import GapReason
from jobs.store.arrays import array
from jobs.store.statement import Statement

_INSERT = Statement("insert_gaps")
_UNCOUNTED = Statement("uncounted_gaps")
_SET_COUNTS = Statement("set_gap_counts")


@dataclass(frozen=True, slots=True)
class NewGap:
    """A gap of a job, by the version of its definition."""

    job_id: int
    version: int
    range: GapRange


@dataclass(frozen=True, slots=True)
class UncountedGap:
    """A gap and the schedule its slots belong to."""

    id: int
    after: datetime
    until: datetime
    reason: GapReason
    spec: ScheduleSpec


@dataclass(frozen=True, slots=True)
class GapCount:
    """How many slots a gap holds; a floor when capped."""

    id: int
    count: int
    is_capped: bool


def insert_gaps(gaps: Sequence[NewGap]) -> None:
    """Record gaps, to be counted later."""
    if gaps:
        _INSERT.run(
            job_id=array(gap.job_id for gap in gaps),
            after=array(gap.range.after for gap in gaps),
            until=array(gap.range.until for gap in gaps),
            reason=array(gap.range.reason for gap in gaps),
            version=array(gap.version for gap in gaps),
        )


def lock_uncounted(limit: int) -> list[UncountedGap]:
    """Lock gaps that wait to be counted, oldest first."""
    with connection.cursor() as cursor:
        cursor.execute(_UNCOUNTED.text, {"limit": limit})
        rows = cursor.fetchall()
    return [UncountedGap(row[0], row[1], row[2], GapReason(row[3]), ScheduleSpec(*row[4:])) for row in rows]


def set_counts(counts: Sequence[GapCount]) -> None:
    """Write counts of gaps whose locks are held."""
    if counts:
        _SET_COUNTS.run(
            id=[gap.id for gap in counts],
            count=[gap.count for gap in counts],
            is_capped=[gap.is_capped for gap in counts],
        )


def delete_gaps(ids: Sequence[int]) -> None:
    """Delete gaps that turned out to hold no slot."""
    if ids:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM jobs_slotgap WHERE id = ANY(%s::bigint[])", [list(ids)])
