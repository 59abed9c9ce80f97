"""Dead runs by their error: groups, and the runs of one. Every question has a range of whole days and a bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import NamedTuple

from django.db.models import Q, QuerySet

from jobs.domain.messages import RunKey
from jobs.models import JobRun
from jobs.store.micros import key_of
from jobs.store.statement import Statement

COUNT_CAP = 10_001
MOST_GROUPS = 1_000
DEFAULT_DAYS = 7
_AHEAD = timedelta(days=1)  # a dead run's slot is not ahead, but for a clock that stepped back

_NAMES = Statement("dead_group_names")
_GROUPS = Statement("dead_groups")
_KEYS = Statement("dead_keys")
_COUNT = Statement("count_dead")


class Window(NamedTuple):
    """The slots looked at: whole days (UTC), from ``since`` on and below ``until``."""

    since: datetime
    until: datetime

    @classmethod
    def from_day_of(cls, since: datetime, *, now: datetime) -> Window:
        """From the beginning of the day that holds ``since``."""
        return cls(datetime.combine(since.astimezone(UTC).date(), time.min, UTC), now + _AHEAD)

    @classmethod
    def of_days(cls, days: int, *, now: datetime) -> Window:
        """The last so many days and today's."""
        return cls.from_day_of(now - timedelta(days=days), now=now)


@dataclass(frozen=True, slots=True)
class DeadGroup:
    """Dead runs with the same error. ``runs``, ``jobs`` and the times are of the newest 10,001 at most."""

    group: str
    newest: RunKey
    error: str
    runs: int
    jobs: int
    first_at: datetime
    last_at: datetime


class DeadKey(NamedTuple):
    """A dead run, and its token as it was read; None where it may be any."""

    key: RunKey
    token: int | None = None


def group_names(window: Window, *, limit: int = MOST_GROUPS) -> list[str]:
    """The groups that have a run there, the one with the newest slot first; at most ``limit`` are looked at."""
    return [row.error_group for row in _NAMES.rows(**window._asdict(), limit=limit)]


def describe(groups: Sequence[str], window: Window, *, cap: int = COUNT_CAP) -> list[DeadGroup]:
    """These groups, newest slot first; one that has no run there is left out."""
    rows = _GROUPS.rows(groups=list(groups), **window._asdict(), cap=cap) if groups else []
    return [
        DeadGroup(row.error_group, key_of(row), row.error, row.runs, row.jobs, row.first_at, row.last_at)
        for row in rows
    ]


def dead_runs(group: str, window: Window, *, before: RunKey | None = None) -> QuerySet[JobRun]:
    """The runs of a group, newest first, behind the run ``before`` in that order; the caller bounds them."""
    runs = JobRun.objects.filter(error_group=group, scheduled_for__gte=window.since, scheduled_for__lt=window.until)
    if before:
        slot = before.scheduled_for
        older = Q(scheduled_for__lt=slot) | Q(scheduled_for=slot, job_id__lt=before.job_id)
        runs = runs.filter(older, scheduled_for__lte=slot)
    return runs.order_by("-scheduled_for", "-job_id")


def dead_keys(
    group: str,
    window: Window,
    *,
    limit: int,
    after: RunKey | None = None,
    job_id: int | None = None,
    but: Sequence[int] = (),
) -> list[DeadKey]:
    """The oldest runs of a group behind ``after``: of one job only, or of all but some."""
    rows = _KEYS.rows(
        error_group=group,
        **window._asdict(),
        after_slot=after and after.scheduled_for,
        after_job=after and after.job_id,
        job_id=job_id,
        but=list(but),
        limit=limit,
    )
    return [DeadKey(key_of(row), row.token) for row in rows]


def count_dead(group: str, window: Window, *, job_id: int | None = None, cap: int = COUNT_CAP) -> int:
    """How many dead runs the group has, at most ``cap``."""
    count: int = _COUNT.rows(error_group=group, **window._asdict(), job_id=job_id, cap=cap)[0].runs
    return count
