"""Make a run that is due now in one statement: the short way of :func:`jobs.services.run.run_job`, for servers.

It is taken for a job that may run beside itself. A process remembers for seconds what it has read of such a job; the
statement inserts only while the job is still at that version, so what was read and checked still holds. Whatever else
comes up takes the long way, which reads anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, connection, transaction

from jobs import log
from jobs.broker.tasks import run_queue
from jobs.clock import monotonic
from jobs.conf import config
from jobs.domain.built_in import is_built_in
from jobs.domain.states import Trigger
from jobs.domain.target import check_payload
from jobs.errors import InvalidFieldError
from jobs.models import Job, JobRun
from jobs.services.dispatch_soon import publish_soon
from jobs.store.statement import Statement

# A version names a definition for ever, but for a database that was restored or failed over.
SECONDS = 5.0
_MOST = 1_000
_JOB = Statement("startable_job")
_INSERT = Statement("insert_run_now")


@dataclass(frozen=True, slots=True)
class _Startable:
    """A job as it was read: ``row`` has the columns of ``startable_job.sql``."""

    row: Any
    queue: str
    job: Job
    until: float


class StartableJobs:
    """Jobs for the short way that were read lately, by name and the team that reaches them."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int | None], _Startable] = {}

    def find(self, name: str, team_id: int | None) -> _Startable | None:
        """The living job that the team reaches, maybe as it was seconds ago; None when it is not for this way."""
        known = self._known.get((name, team_id))
        if known is not None and monotonic() < known.until:
            return known
        (row,) = _JOB.rows(name=name, team_id=team_id) or [None]
        if row is None or not row.is_free or row.has_schema or is_built_in(name):
            return None
        if len(self._known) >= _MOST:
            self.forget()
        found = _Startable(row, run_queue(row.queue, row.task), Job(pk=row.id, name=name), monotonic() + SECONDS)
        self._known[name, team_id] = found
        return found

    def drop(self, name: str, team_id: int | None) -> None:
        """Read it anew the next time."""
        self._known.pop((name, team_id), None)

    def forget(self) -> None:
        """Read all of them anew."""
        self._known.clear()


startable_jobs = StartableJobs()


def run_now(name: str, payload: Mapping[str, Any] | None, *, team_id: int | None, trigger: Trigger) -> JobRun | None:
    """Queue a run of the job that the team reaches and publish it soon; None when that is not for this way to do."""
    job = startable_jobs.find(name, team_id)
    if job is None:
        return None
    row = _inserted(job, payload, trigger) if _fits(job, payload) else None
    if row is None:
        startable_jobs.drop(name, team_id)
        return None
    run = _as_read(job, row, trigger)
    publish_soon([run.key])
    log.event("run.requested", run=run.key, job=name, trigger=trigger)
    return run


def _fits(job: _Startable, payload: Mapping[str, Any] | None) -> bool:
    """Whether it can stand in for the job's own. The long way says why not, of the job as it is now."""
    if payload is not None:
        try:
            check_payload(payload, config().payload_max, is_http=job.row.is_http)
        except InvalidFieldError:
            return False
    return True


def _as_read(job: _Startable, row: Any, trigger: Trigger) -> JobRun:
    """The run and its job as a SELECT would give them, as far as they are told of."""
    of_job = {"queue": job.queue, "priority": job.row.priority, "max_attempts": job.row.max_attempts}
    run = JobRun(**row._asdict(), **of_job, trigger=trigger)
    run.job = job.job
    return run


def _inserted(job: _Startable, payload: Mapping[str, Any] | None, trigger: Trigger) -> Any:
    # By itself the statement is its own transaction; within one, a failure must not end it.
    try:
        with transaction.atomic() if connection.in_atomic_block else nullcontext():
            rows = _INSERT.rows(
                job_id=job.row.id,
                version=job.row.version,
                trigger=str(trigger),
                max_attempts=job.row.max_attempts,
                deadline_seconds=job.row.deadline_seconds,
                queue=job.queue,
                priority=job.row.priority,
                payload=None if payload is None else json.dumps(payload),
            )
    except IntegrityError:  # today has no partition yet: the long way makes it
        return None
    return rows[0] if rows else None
