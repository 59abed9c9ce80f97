"""The limit of emission: PostgreSQL alone, inserting runs and advancing cursors, one statement for each thousand."""

from __future__ import annotations

import time
from datetime import datetime

import psycopg

BATCH = 1000
_EMIT = """
WITH due AS (
    SELECT job_id FROM jobs_cursor WHERE job_id = ANY(%(jobs)s) ORDER BY job_id FOR NO KEY UPDATE
), made AS (
    INSERT INTO jobs_jobrun (job_id, scheduled_for, trigger, due_at, run_after, queue)
    SELECT job_id, %(slot)s, 'schedule', %(slot)s, %(slot)s, 'jobs.fast' FROM due
)
UPDATE jobs_cursor AS cursor SET next_run_at = %(slot)s + interval '1 day', last_slot = %(slot)s
FROM due WHERE cursor.job_id = due.job_id
"""


def insert_alone(database_url: str, jobs: str, slot: datetime) -> float:
    """Runs a second for the jobs whose names are like ``jobs``; the runs are removed again."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        ids = [row[0] for row in connection.execute("SELECT id FROM jobs_job WHERE name LIKE %s ORDER BY id", [jobs])]
        began = time.perf_counter()
        for first in range(0, len(ids), BATCH):
            connection.execute(_EMIT, {"jobs": ids[first : first + BATCH], "slot": slot})
        rate = len(ids) / (time.perf_counter() - began)
        assert connection.execute("DELETE FROM jobs_jobrun").rowcount == len(ids) > 0
    return rate
