"""Runs in any state, for tests of the statements on them."""

from __future__ import annotations

import uuid
from itertools import count
from typing import Any

from jobs import clock
from jobs.domain.messages import RunKey
from jobs.models import Job, JobRun
from tests.support.elsewhere import sql
from tests.support.factories import make_job

WORKER, OTHER = uuid.UUID(int=1), uuid.UUID(int=2)
_micros = count(1)


def make_run(job: Job | None = None, **columns: Any) -> RunKey:
    """A queued run that is due, unless told otherwise; a running one is held by WORKER for a minute."""
    job = job or make_job(kind="manual")
    slot = clock.utcnow().replace(microsecond=next(_micros) % 1_000_000)
    values = {"status": "queued", "queue": "jobs.default", **columns}
    if values["status"] == "running":
        values = {"locked_by": WORKER, "token": 1, **values}
    names = ", ".join(values)
    sql(
        f"INSERT INTO jobs_jobrun (job_id, scheduled_for, due_at, run_after, finished_at, locked_until, {names})"
        " VALUES (%s, %s, clock_timestamp(), clock_timestamp() - interval '1 s',"
        " CASE WHEN %s NOT IN ('queued', 'running') THEN clock_timestamp() END,"
        " CASE WHEN %s = 'running' THEN clock_timestamp() + interval '1 min' END,"
        f" {', '.join(['%s'] * len(values))})",
        job.pk,
        slot,
        values["status"],
        values["status"],
        *values.values(),
    )
    return RunKey(job.pk, slot)


def set_run(key: RunKey, change: str, *values: Any) -> None:
    """Change a run by SQL, past every guard but the table's own."""
    sql(
        f"UPDATE jobs_jobrun SET {change} WHERE job_id = %s AND scheduled_for = %s",
        *values,
        key.job_id,
        key.scheduled_for,
    )


def get_run(key: RunKey) -> JobRun:
    """The run as it stands."""
    return JobRun.objects.get(job_id=key.job_id, scheduled_for=key.scheduled_for)
