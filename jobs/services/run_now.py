"""Make a run that is due now in two statements: the short way of :func:`jobs.services.run.run_job`, for servers.

It is taken for a job that may run beside itself. The second statement inserts only while the job is at the version that
the first has read, so what was checked in between still holds; whatever else comes up takes the long way.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

from django.db import IntegrityError, connection, transaction

from jobs import log
from jobs.broker.tasks import run_queue
from jobs.conf import config
from jobs.domain.built_in import is_built_in
from jobs.domain.states import Trigger
from jobs.domain.target import check_payload
from jobs.models import Job, JobRun
from jobs.services.dispatch_soon import publish_soon
from jobs.store.statement import Statement

_JOB = Statement("startable_job")
_INSERT = Statement("insert_run_now")


def startable_job(name: str, *, team_id: int | None) -> Any:
    """The row of a living job that the team reaches, or None; the statement's header names its columns."""
    rows = _JOB.rows(name=name, team_id=team_id)
    return rows[0] if rows else None


def run_now(job: Any, payload: Mapping[str, Any] | None, *, trigger: Trigger) -> JobRun | None:
    """Queue a run of a job as :func:`startable_job` gave it, and publish it soon; None when it is not for this way."""
    if not job.is_free or job.has_schema or is_built_in(job.name):
        return None
    if payload is not None:
        check_payload(payload, config().payload_max, is_http=job.is_http)
    queue = run_queue(job.queue, job.task)
    row = _inserted(job, queue, payload, trigger)
    if row is None:
        return None
    run = _as_read(job, row, queue, trigger)
    publish_soon([run.key])
    log.event("run.requested", run=run.key, job=job.name, trigger=trigger)
    return run


def _as_read(job: Any, row: Any, queue: str, trigger: Trigger) -> JobRun:
    """The run and its job as a SELECT would give them, as far as they are told of."""
    run = JobRun(**row._asdict(), queue=queue, trigger=trigger, priority=job.priority, max_attempts=job.max_attempts)
    run.job = Job(pk=job.id, name=job.name)
    return run


def _inserted(job: Any, queue: str, payload: Mapping[str, Any] | None, trigger: Trigger) -> Any:
    # By itself the statement is its own transaction; within one, a failure must not end it.
    try:
        with transaction.atomic() if connection.in_atomic_block else nullcontext():
            rows = _INSERT.rows(
                job_id=job.id,
                version=job.version,
                trigger=str(trigger),
                max_attempts=job.max_attempts,
                deadline_seconds=job.deadline_seconds,
                queue=queue,
                priority=job.priority,
                payload=None if payload is None else json.dumps(payload),
            )
    except IntegrityError:  # today has no partition yet: the long way makes it
        return None
    return rows[0] if rows else None
