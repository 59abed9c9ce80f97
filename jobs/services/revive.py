"""Queue a batch of dead runs again, in one transaction.

The jobs are kept from being archived; the cursors of those that run one at a time are locked, and only a later
statement looks at what they have open. At most one of their runs is revived. Each revival is guarded by the run's
status and by its token as it was read, so two people who replay at once revive each run once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db import transaction

from jobs.domain.messages import RunKey
from jobs.domain.states import RunStatus
from jobs.services.dispatch import publish_after_commit
from jobs.store.dead import DeadKey
from jobs.store.replays import LivingJob, Revival, lock_living_jobs, replay_runs
from jobs.store.runs import lock_cursors, open_runs


@dataclass(slots=True)
class Pace:
    """Spreads starts: at most ``rate`` runs a second become due, the first at once. Without a rate all do."""

    rate: float | None = None
    given: int = 0

    def next_delay(self) -> float:
        """Seconds from now until the next run is due."""
        delay = self.given / self.rate if self.rate else 0.0
        self.given += 1
        return delay


@dataclass(frozen=True, slots=True)
class Revived:
    """``refused`` says why; a run in neither was dead no more. ``jobs`` are those that live."""

    replayed: set[RunKey]
    refused: dict[RunKey, str]
    jobs: dict[int, LivingJob]


def revive(batch: Sequence[DeadKey], *, pace: Pace, who: str) -> Revived:
    """Queue these again, each a step of the pace later; ``who`` is noted with each run.

    The first batch is published right after the commit as far as it is due; the leader sends the rest, so that a
    broker that is away costs the caller seconds, not minutes.
    """
    is_first = pace.given == 0
    with transaction.atomic():
        jobs = lock_living_jobs({dead.key.job_id for dead in batch})
        refused = dict(_refusals(batch, jobs))
        revivals = [
            Revival(dead.key, dead.token, jobs[dead.key.job_id], pace.next_delay())
            for dead in batch
            if dead.key not in refused
        ]
        replayed = replay_runs(revivals, who=who)
        if is_first:
            publish_after_commit([revival.key for revival in revivals if not revival.delay and revival.key in replayed])
    return Revived(replayed, refused, jobs)


def _refusals(batch: Sequence[DeadKey], jobs: dict[int, LivingJob]) -> Iterator[tuple[RunKey, str]]:
    busy = _busy([job_id for job_id, job in jobs.items() if job.is_exclusive])
    for key in (dead.key for dead in batch):
        job = jobs.get(key.job_id)
        if job is None:
            yield key, f"Run {key} is dead, but its job is archived: it cannot run again."
        elif job.is_exclusive:
            if others := busy.get(job.id, {}).keys() - {key}:
                yield key, _one_at_a_time(job, key, min(others), busy[job.id])
            else:
                busy[job.id] = {key: RunStatus.QUEUED}


def _busy(job_ids: Sequence[int]) -> dict[int, dict[RunKey, RunStatus]]:
    """What these jobs have open, by job. The look follows the locks in a statement of its own."""
    if not job_ids:
        return {}
    lock_cursors(job_ids)
    return {job_id: {run.key: run.status for run in found} for job_id, found in open_runs(job_ids).items()}


def _one_at_a_time(job: LivingJob, key: RunKey, other: RunKey, busy: dict[RunKey, RunStatus]) -> str:
    return (
        f'Job "{job.name}" runs one at a time (concurrency policy {job.concurrency_policy}) and run {other} is '
        f"{busy[other]}. Wait for it or cancel it, then replay {key}."
    )
