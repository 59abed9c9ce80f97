"""Make one run of a job by hand, now or at a later time. It has its own identity and takes no slot's place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from jobs import log
from jobs.broker.tasks import run_queue
from jobs.conf import config
from jobs.domain.built_in import run_fault
from jobs.domain.messages import RunKey
from jobs.domain.overlap import Overlap, decide, replaced_because
from jobs.domain.parameters import check_parameters
from jobs.domain.policies import ConcurrencyPolicy
from jobs.domain.run_request import slot_for, start_instant
from jobs.domain.states import RunStatus, Trigger
from jobs.domain.target import check_payload
from jobs.errors import ConflictError
from jobs.models import Endpoint, Job
from jobs.services.dispatch import publish_after_commit
from jobs.store.asked import cancel_runs, free_instant, lock_living_job
from jobs.store.clock import database_now
from jobs.store.runs import NewRun, ensure_days, insert_runs, lock_cursors, open_runs


def run_job(
    job: Job,
    *,
    payload: Mapping[str, Any] | None = None,
    at: datetime | None = None,
    delay: timedelta | None = None,
    force: bool = False,
    trigger: Trigger = Trigger.MANUAL,
    webhook: Endpoint | None = None,
    publish: Callable[[Sequence[RunKey]], None] = publish_after_commit,
) -> RunKey:
    """Queue a run that starts now, ``at`` a time or after a ``delay``, and publish it after the commit.

    ``payload`` may hold ``args`` and ``kwargs``, or of an HTTP job ``body``, in place of the job's. ``webhook`` is told
    of this run's end, in place of the job's own. ``force`` leaves the concurrency policy out. ConflictError: the job is
    archived, forbids a second run while one is queued or running, or runs one at a time and the run is for later.
    """
    start = start_instant(database_now(), at=at, delay=delay)
    slot = slot_for(start, is_named=at is not None)
    ensure_days([slot])
    with transaction.atomic():
        job = _living(job)
        is_http = job.endpoint_id is not None
        if payload is not None:
            check_payload(payload, config().payload_max, is_http=is_http)
        check_parameters(job.parameters_schema, _parameters(job, payload or {}), is_http=is_http)
        run = replace(new_run(job, slot, start, trigger), payload=None if payload is None else dict(payload))
        if webhook is not None:
            run = replace(run, webhook_id=webhook.pk)
        overlap = Overlap() if force else _overlap(job, later=start if at or delay else None)
        key = insert_free(replace(run, replaces=_stop(overlap, RunKey(job.pk, slot))))
        publish([key])
    log.event("run.requested", run=key, job=job.name, trigger=trigger)
    return key


def _living(job: Job) -> Job:
    """The job as it is now; it cannot be archived until the transaction ends."""
    if not lock_living_job(job.pk):
        raise ConflictError(f'Job "{job.name}" is archived and cannot run.')
    if problem := run_fault(job.name):
        raise ConflictError(problem)
    return Job.objects.get(pk=job.pk)


def new_run(job: Job, slot: datetime, start: datetime, trigger: Trigger) -> NewRun:
    """A queued run of the job, by its definition."""
    return NewRun(
        job_id=job.pk,
        scheduled_for=slot,
        run_after=start,
        queue=run_queue(job.queue, job.task),
        trigger=trigger,
        max_attempts=job.max_attempts,
        deadline_seconds=job.starting_deadline_seconds,
        priority=job.priority,
        exclusive=job.concurrency_policy != ConcurrencyPolicy.ALLOW,
        webhook_id=job.webhook_id,
    )


def _parameters(job: Job, payload: Mapping[str, Any]) -> Any:
    """What the body is called with: the run's own, else the job's."""
    field = "body" if job.endpoint_id is not None else "kwargs"
    return payload.get(field, getattr(job, field))


def _overlap(job: Job, *, later: datetime | None) -> Overlap:
    """What the job's unfinished runs mean for a new one. The look follows the lock in a statement of its own."""
    policy = ConcurrencyPolicy(job.concurrency_policy)
    if policy is ConcurrencyPolicy.ALLOW:
        return Overlap()
    if later:
        raise ConflictError(_why_not_later(job, policy, later))
    lock_cursors([job.pk])
    found = open_runs([job.pk]).get(job.pk, [])
    overlap = decide(policy, found)
    if overlap.turned_away_by:
        status = next(run.status for run in found if run.key == overlap.turned_away_by)
        raise ConflictError(
            f'Job "{job.name}" runs one at a time (concurrency policy forbid) and run {overlap.turned_away_by} is '
            f"{status}. Wait for it, cancel it, or force the run."
        )
    return overlap


def _why_not_later(job: Job, policy: ConcurrencyPolicy, later: datetime) -> str:
    until = f"{later:%Y-%m-%d %H:%M:%S} UTC"
    if policy is ConcurrencyPolicy.FORBID:
        effect = f"it would turn away every slot until {until}"
    else:
        effect = f"it would end the run that is active now, and the first slot before {until} would replace it"
    return (
        f'Job "{job.name}" runs one at a time (concurrency policy {policy}), and a run queued for later counts: '
        f"{effect}. Force the run (--force), or make a job of kind once."
    )


def _stop(overlap: Overlap, newer: RunKey) -> datetime | None:
    """Cancel what the new run replaces; the slot of the run that it must wait for."""
    after = cancel_runs(overlap.replaced, note=replaced_because(newer))
    running = [key.scheduled_for for key, status in after.items() if status is RunStatus.RUNNING]
    return max(running, default=None)


def insert_free(run: NewRun) -> RunKey:
    """Insert under the first free instant from the run's own on."""
    while not (inserted := insert_runs([run])):
        free = free_instant(run.job_id, run.scheduled_for)
        run = replace(run, scheduled_for=slot_for(free, is_named=False))
    return inserted.pop()
