"""Insert the runs of an emission, by each job's concurrency policy. Called within the emission's transaction."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache, partial

from jobs.broker.tasks import run_queue
from jobs.domain.emission import Emission
from jobs.domain.messages import RunKey
from jobs.domain.overlap import decide, skipped_because
from jobs.domain.planning import PlannedJob
from jobs.domain.policies import ConcurrencyPolicy
from jobs.domain.states import RunStatus
from jobs.store.asked import cancel_runs
from jobs.store.runs import NewRun, add_runs, open_runs

_REPLACED = "Replaced by a newer run before it started (concurrency policy replace)."


def insert_emitted(emissions: Sequence[Emission]) -> int:
    """Insert a run for each slot; returns how many are new. The jobs' cursors are locked."""
    due = [emission for emission in emissions if emission.slots]
    exclusive = [emission for emission in due if emission.job.is_exclusive]
    queue_of = cache(partial(run_queue, ""))
    runs = [run for emission in due if not emission.job.is_exclusive for run in _runs(emission, queue_of)]
    if exclusive:
        runs += _exclusive_runs(exclusive, queue_of)
    return add_runs(runs)


def _runs(due: Emission, queue_of: Callable[[str], str]) -> list[NewRun]:
    job = due.job
    queue = job.queue or queue_of(job.task)
    spread = timedelta(seconds=zlib.crc32(str(job.job_id).encode()) % job.spread_seconds if job.spread_seconds else 0)
    return [
        NewRun(
            job_id=job.job_id,
            scheduled_for=slot,
            run_after=slot + spread,
            queue=queue,
            max_attempts=job.max_attempts,
            deadline_seconds=job.deadline_seconds,
            priority=job.priority,
            exclusive=job.is_exclusive,
            webhook_id=job.webhook_id,
        )
        for slot in due.slots
    ]


def _exclusive_runs(emissions: Sequence[Emission], queue_of: Callable[[str], str]) -> list[NewRun]:
    """Runs of forbid and replace jobs, with what their unfinished runs make of them."""
    found = open_runs([due.job.job_id for due in emissions])
    replaced: list[RunKey] = []
    runs: list[NewRun] = []
    for due in emissions:
        # A backfill may have made the very slot: it is in nobody's way, and its run stays as it is.
        unfinished = [run for run in found.get(due.job.job_id, ()) if run.key.scheduled_for not in due.slots]
        overlap = decide(ConcurrencyPolicy(due.job.concurrency_policy), unfinished)
        replaced += overlap.replaced
        runs += _one_active(due.job, _runs(due, queue_of), overlap.turned_away_by)
    waits_for = _stop(replaced)
    return [
        replace(run, replaces=waits_for[run.job_id])
        if run.status is RunStatus.QUEUED and run.job_id in waits_for
        else run
        for run in runs
    ]


def _one_active(job: PlannedJob, runs: Sequence[NewRun], active: RunKey | None) -> Iterator[NewRun]:
    """Several slots of one job at once: ``forbid`` queues the oldest, ``replace`` the newest."""
    if job.concurrency_policy == ConcurrencyPolicy.REPLACE:
        for run in runs[:-1]:
            yield replace(run, status=RunStatus.CANCELLED, last_error=_REPLACED)
        yield runs[-1]
        return
    for run in runs:
        if active is None:
            active = RunKey(run.job_id, run.scheduled_for)
            yield run
        else:
            yield replace(run, status=RunStatus.SKIPPED, last_error=skipped_because(active))


def _stop(replaced: Sequence[RunKey]) -> dict[int, datetime]:
    """End or ask to end what is replaced; by job, the newest run that its new run must wait for."""
    waits_for: dict[int, datetime] = {}
    for key, status in cancel_runs(replaced, note=_REPLACED).items():
        if status is RunStatus.RUNNING:
            waits_for[key.job_id] = max(key.scheduled_for, waits_for.get(key.job_id, key.scheduled_for))
    return waits_for
