"""Rows as the leader and the workers would leave them, for tests of what people do with them."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from typing import Any

from jobs.domain.messages import RunKey
from jobs.domain.states import TERMINAL, RunStatus
from jobs.models import Job, JobCursor, JobRun
from jobs.store.clock import database_now
from jobs.store.runs import ensure_days


def make_run(job: Job, status: RunStatus = RunStatus.QUEUED, **fields: Any) -> JobRun:
    """A run of the job in any status, at the database's now unless told otherwise."""
    now = database_now()
    values: dict[str, Any] = {
        "scheduled_for": now,
        "status": status,
        "due_at": fields.get("scheduled_for", now),
        "run_after": fields.get("scheduled_for", now),
        "queue": job.queue or "jobs.default",
        "exclusive": job.concurrency_policy != "allow",
    }
    if status is RunStatus.RUNNING:
        values |= {"locked_by": uuid.uuid4(), "locked_until": now + timedelta(seconds=30), "token": 1, "attempts": 1}
    if status in TERMINAL:
        values["finished_at"] = now
    run = JobRun(job=job, **{**values, **fields})
    ensure_days([run.scheduled_for])
    JobRun.objects.bulk_create([run])
    return get_run(run.key)


def get_run(key: RunKey) -> JobRun:
    """The run as it stands in the database."""
    return JobRun.objects.get(job_id=key.job_id, scheduled_for=key.scheduled_for)


def plan(job: Job, *, next_run_at: datetime, plan_from: datetime | None = None) -> None:
    """Do what the leader does after a definition was saved."""
    changes: dict[str, Any] = {"next_run_at": next_run_at, "plan_needed": False}
    if plan_from is not None:
        changes["plan_from"] = plan_from
    JobCursor.objects.filter(pk=job.pk).update(**changes)
