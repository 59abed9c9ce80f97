"""Queue dead runs again. Transactions are the callers'."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from jobs.domain.messages import RunKey
from jobs.domain.policies import ConcurrencyPolicy
from jobs.store.arrays import array
from jobs.store.days import whole_days
from jobs.store.leases import HISTORY
from jobs.store.micros import key_of
from jobs.store.statement import Statement

_LOCK = Statement("lock_living_jobs")
_REPLAY = Statement("replay_runs")


class LivingJob(NamedTuple):
    """What a replay must know of a job."""

    id: int
    name: str
    concurrency_policy: ConcurrencyPolicy
    max_attempts: int

    @property
    def is_exclusive(self) -> bool:
        return self.concurrency_policy is not ConcurrencyPolicy.ALLOW


class Revival(NamedTuple):
    """A dead run to queue again ``delay`` seconds from now; ``token`` as it was read, or None for any."""

    key: RunKey
    token: int | None
    job: LivingJob
    delay: float


def lock_living_jobs(job_ids: Collection[int]) -> dict[int, LivingJob]:
    """Keep jobs from being archived until the transaction ends; those that are archived or gone are left out."""
    rows = _LOCK.rows(job_ids=sorted(job_ids))
    return {
        row.id: LivingJob(row.id, row.name, ConcurrencyPolicy(row.concurrency_policy), row.max_attempts) for row in rows
    }


def replay_runs(revivals: Sequence[Revival], *, who: str) -> set[RunKey]:
    """Queue these again; the keys of those that still were dead."""
    if not revivals:
        return set()
    slots = [revival.key.scheduled_for for revival in revivals]
    rows = _REPLAY.rows(
        job_ids=array(revival.key.job_id for revival in revivals),
        slots=array(slots),
        tokens=array(revival.token for revival in revivals),
        more=array(revival.job.max_attempts for revival in revivals),
        exclusive=array(revival.job.is_exclusive for revival in revivals),
        delays=array(revival.delay for revival in revivals),
        **whole_days(slots),
        who=who,
        history=HISTORY,
    )
    return {key_of(row) for row in rows}
