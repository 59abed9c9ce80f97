"""What long use leaves behind, written in bulk by SQL: jobs, day partitions, ended runs, and runs that wait."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Any

from django.db import connection

QUEUE = "jobs.fast"
DAYS = 30
AHEAD = 14

_JOBS = """
INSERT INTO jobs_job (name, kind, cron, task, queue)
SELECT 'bulk-' || n, 'cron', '* * * * *', 'tests.support.bodies.noop', %(queue)s
FROM generate_series(%(first)s::int, %(last)s::int) AS n
"""
_PLANNED = """
UPDATE jobs_cursor SET plan_needed = false, next_run_at = statement_timestamp() + interval '1 year' WHERE plan_needed
"""
# Half a second after a whole one, where no schedule has a slot. One in a thousand is dead, of one of twenty errors; a
# few were missed, skipped, cancelled.
_RUNS = """
INSERT INTO jobs_jobrun (job_id, scheduled_for, due_at, run_after, dispatched_at, started_at, finished_at, queue,
                         status, token, attempts, last_error)
SELECT %(first)s + (n * 7919) %% %(jobs)s, slot, slot, slot, slot, slot, slot + interval '1 second', %(queue)s,
       status, 1, 1,
       CASE WHEN status = 'dead' THEN 'ValueError: of kind ' || chr(97 + (n / 1000 %% 20)::int) ELSE '' END
FROM generate_series(1, %(runs)s::bigint) AS n
CROSS JOIN LATERAL (
    SELECT %(day)s::timestamptz + floor(n * 86399 / %(runs)s) * interval '1 second' + interval '500 ms' AS slot,
           CASE WHEN n %% 1000 = 0 THEN 'dead' WHEN n %% 5000 = 1 THEN 'missed' WHEN n %% 5000 = 2 THEN 'skipped'
                WHEN n %% 5000 = 3 THEN 'cancelled' ELSE 'succeeded' END AS status
) AS made
ON CONFLICT DO NOTHING
"""
# Half of them wait for their time, half are with the broker.
_WAITING = """
INSERT INTO jobs_jobrun (job_id, scheduled_for, due_at, run_after, dispatched_at, queue)
SELECT %(first)s + n %% %(jobs)s, slot, slot, statement_timestamp() + interval '1 day',
       CASE WHEN n %% 2 = 0 THEN statement_timestamp() END, 'jobs.default'
FROM generate_series(0, %(runs)s - 1) AS n
CROSS JOIN LATERAL (SELECT statement_timestamp() - n * interval '1 us' AS slot) AS made
"""


def add_jobs(total: int) -> int:
    """Make it ``total`` jobs, each planned for next year; the first of their ids, which follow each other."""
    there = _one("SELECT count(*) FROM jobs_job WHERE name LIKE 'bulk-%%'")
    with _patiently():
        execute(_JOBS, first=there + 1, last=total, queue=QUEUE)
        execute(_PLANNED)
        for table in ("jobs_job", "jobs_cursor"):
            execute(f"VACUUM ANALYZE {table}")
    first: int = _one("SELECT min(id) FROM jobs_job WHERE name LIKE 'bulk-%%'")
    assert _one("SELECT max(id) FROM jobs_job") == first + total - 1, "someone else made jobs meanwhile"
    return first


def add_partitions(total: int) -> None:
    """Make it ``total`` day partitions: two weeks ahead, the others back from today."""
    today = this_day()
    first = today - timedelta(days=total - AHEAD - 1)
    execute("SELECT jobs_ensure_partitions(%(first)s, %(last)s)", first=first, last=today + timedelta(days=AHEAD))
    there = _one("SELECT count(*) FROM pg_inherits WHERE inhparent = 'jobs_jobrun'::regclass")
    assert there == total, f"there are {there} partitions instead of {total}"


def drop_below_retention() -> None:
    """Back to the usual number of partitions."""
    from jobs.services.prune import prune_partitions  # Django is set up by now
    from jobs.store.clock import database_now

    prune_partitions(database_now())


def add_runs(runs: int, *, first_job: int, jobs: int) -> None:
    """Add so many ended runs, evenly over the last 30 days and over the jobs."""
    with _patiently():
        for back in range(DAYS, 0, -1):
            day = this_day() - timedelta(days=back)
            execute(_RUNS, first=first_job, jobs=jobs, queue=QUEUE, runs=runs // DAYS, day=day)
            execute(f"VACUUM ANALYZE jobs_jobrun_p{day:%Y%m%d}")


def add_waiting(runs: int, *, first_job: int, jobs: int) -> None:
    """Add so many queued runs."""
    with _patiently():
        execute(_WAITING, first=first_job, jobs=jobs, runs=runs)
        execute("ANALYZE jobs_jobrun")


def this_day() -> date:
    """The database's day, UTC."""
    day: date = _one("SELECT statement_timestamp()").date()
    return day


def execute(statement: str, **params: Any) -> list[Any]:
    """Run a statement on this thread's connection; its rows, if it has any."""
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return cursor.fetchall() if cursor.description else []


@contextmanager
def _patiently() -> Iterator[None]:
    """Without the bound that the product's connections have on a statement."""
    execute("SET statement_timeout = 0")
    yield
    execute("RESET statement_timeout")


def _one(statement: str) -> Any:
    return execute(statement)[0][0]
