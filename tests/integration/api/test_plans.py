"""What the API reads it finds by index, at 30,000 jobs and 40,000 runs a day."""

from __future__ import annotations

import json

import pytest

from jobs.store.clock import database_now
from tests.support.api import ApiClient
from tests.support.elsewhere import sql
from tests.support.factories import make_job
from tests.support.plans import captured, scans

_JOBS = """
INSERT INTO jobs_job (name, kind, task, team_id) SELECT 'job-' || n, 'manual', 'tests.noop', NULL
FROM generate_series(1, 30000) AS n
"""
_RUNS = """
INSERT INTO jobs_jobrun (job_id, scheduled_for, due_at, run_after, queue, status, finished_at, last_error)
SELECT j.id, slot, slot, slot, 'jobs.default', CASE WHEN n %% 1000 = 0 THEN 'dead' ELSE 'succeeded' END, slot, 'boom'
FROM (SELECT n, %s::timestamptz - n * interval '1 millisecond' AS slot FROM generate_series(1, 40000) AS n) AS runs,
     LATERAL (SELECT id FROM jobs_job WHERE name = 'job-' || (1 + n %% 30000)) AS j
"""
PATHS = (
    "/jobs?page_size=50",
    "/jobs?page_size=10&page_token=TOKEN",
    "/jobs?prefix=job-29&page_size=50",
    "/jobs/job-17",
    "/jobs/job-17/runs?page_size=20",
    "/jobs/job-17/runs?status=dead",
    "/runs?page_size=50",
    "/runs?job=job-17",
    "/runs/KEY",
    "/operations/op_KEY",
    *(f"/runs?status={status}" for status in ("queued", "running", "dead", "missed", "skipped", "cancelled")),
    "/runs?team=few",
    "/dead-letters",
    "/platform",
)


@pytest.fixture
def busy(db: None) -> str:
    """The key of one of the runs."""
    sql(_JOBS)
    sql("ANALYZE jobs_job")
    now = database_now()
    sql(_RUNS, now)
    for table in ("jobs_job", "jobs_cursor", "jobs_jobrun"):
        sql(f"ANALYZE {table}")
    make_job(name="busy")
    ((key,),) = sql(
        "SELECT job_id || '-' || (extract(epoch FROM scheduled_for) * 1000000)::bigint FROM jobs_jobrun "
        "WHERE status = 'dead' LIMIT 1"
    )
    return str(key)


def test_a_read_scans_no_table(api: ApiClient, busy: str) -> None:
    token = json.loads(api.get("/jobs?page_size=10").content)["next_page_token"]
    for path in PATHS:
        reads = captured(lambda path=path: _get(api, path.replace("KEY", busy).replace("TOKEN", token)))
        assert reads, path
        for statement, nodes in reads:
            assert not scans(nodes), (path, statement)


def _get(api: ApiClient, path: str) -> None:
    assert api.get(path).status_code == 200, path
