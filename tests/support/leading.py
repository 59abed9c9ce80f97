"""Lead by hand, at a time that the test sets; see what became of a job's slots."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import connection

from jobs.models import Job, JobCursor, JobRun, SlotGap
from jobs.services.count_gaps import count_gaps
from jobs.services.emit import emit_due
from jobs.services.ensure_partitions import ensure_partitions
from jobs.services.plan import plan_waiting
from jobs.store.terms import Term
from tests.support.factories import make_job


def set_clock(now: datetime | None) -> None:
    """The time at which the planning trigger sees changes; None: the database's own again."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('beatkeeper.now', %s, false)", [now.isoformat() if now else ""])


def job_at(now: datetime, **fields: Any) -> Job:
    """A job saved at ``now``."""
    set_clock(now)
    return make_job(**fields)


def edit(job: Job, now: datetime, **fields: Any) -> None:
    """Save changes at ``now``."""
    set_clock(now)
    for name, value in fields.items():
        setattr(job, name, value)
    job.save()


def edit_by_sql(job: Job, now: datetime, assignment: str) -> None:
    """Change a job past all of Python's checks."""
    set_clock(now)
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE jobs_job SET {assignment} WHERE id = %s", [job.pk])


def plan(term: Term) -> None:
    """Plan all that waits for it."""
    while plan_waiting(term):
        pass


def emit(term: Term, now: datetime) -> None:
    """What a tick does at ``now``, up to counting the gaps."""
    ensure_partitions(now)
    plan(term)
    while emit_due(term, now=now).cursors:
        pass
    while count_gaps():
        pass


def slots(job: Job, status: str = "queued") -> list[datetime]:
    """The slots of the job's runs of a status."""
    runs = JobRun.objects.filter(job=job, status=status).order_by("scheduled_for")
    return list(runs.values_list("scheduled_for", flat=True))


def gaps(job: Job) -> list[tuple[str, int | None]]:
    """The job's gaps by reason and count, oldest first."""
    return list(SlotGap.objects.filter(job=job).order_by("until", "id").values_list("reason", "count"))


def cursor_of(job: Job) -> JobCursor:
    """Where the job stands."""
    return JobCursor.objects.get(job=job)
