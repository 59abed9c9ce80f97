"""Each page finds its runs by index and counts no further than it says, at 40,000 runs a day and 3,000 jobs."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client

from jobs.admin.paging import COUNT_CAP
from jobs.store.clock import database_now
from tests.support.elsewhere import sql
from tests.support.plans import captured, partitions, scans

pytestmark = pytest.mark.django_db
JOBS, RUNS, A_DAY = 3_000, 120_000, 40_000
A_WHOLE_DAY = 30_000  # the first and the last day have fewer, by the time of day: there a scan may be right
_JOBS = """
INSERT INTO jobs_job (name, kind, cron, task) SELECT 'job-' || n, 'cron', '* * * * *', 'tests.noop'
FROM generate_series(1, %s) AS n
"""
# Yesterday's, today's and the day before's; all but a few have succeeded.
_RUNS = """
INSERT INTO jobs_jobrun (job_id, scheduled_for, due_at, run_after, queue, status, finished_at, last_error,
                         locked_by, locked_until)
SELECT %(first)s + n %% %(jobs)s, slot, slot, slot, 'jobs.default', status,
       CASE WHEN status NOT IN ('queued', 'running') THEN slot END, CASE WHEN status = 'dead' THEN 'boom' ELSE '' END,
       CASE WHEN status = 'running' THEN '00000000-0000-0000-0000-000000000001'::uuid END,
       CASE WHEN status = 'running' THEN slot END
FROM generate_series(1, %(runs)s) AS n
CROSS JOIN LATERAL (
    SELECT %(now)s::timestamptz - n * interval '1 day' / %(a_day)s AS slot,
           CASE n %% 2000 WHEN 0 THEN 'dead' WHEN 1 THEN 'missed' WHEN 2 THEN 'skipped' WHEN 3 THEN 'cancelled'
               WHEN 4 THEN 'queued' WHEN 5 THEN 'running' ELSE 'succeeded' END AS status
) AS made
ORDER BY slot
"""
RUN_LIST, JOB_LIST, GROUPS = "/admin/jobs/jobrun/", "/admin/jobs/job/", "/admin/jobs/deadrun/"
PAGES = [
    RUN_LIST,
    f"{RUN_LIST}?since=all",
    f"{RUN_LIST}?p=3",
    *(f"{RUN_LIST}?status={status}" for status in ("queued", "running", "dead", "missed", "skipped", "cancelled")),
    f"{RUN_LIST}?status=missed&since=all",
    f"{RUN_LIST}?job=JOB",
    f"{RUN_LIST}?job=JOB&status=missed&since=all",
    f"{RUN_LIST}?q=job-7",
    f"{RUN_LIST}?q=KEY",
    f"{RUN_LIST}KEY/change/",
    JOB_LIST,
    f"{JOB_LIST}JOB/change/",
    GROUPS,
    f"{GROUPS}GROUP/change/",
    "/admin/jobs/",
]
NO_RUNS = [JOB_LIST]


@pytest.fixture
def known() -> dict[str, str]:
    """Three busy days; what the addresses name."""
    sql("TRUNCATE jobs_jobrun")  # of what other tests rolled back; this is rolled back too
    sql(_JOBS, JOBS)
    ((first,),) = sql("SELECT id FROM jobs_job WHERE name = 'job-1'")
    now = database_now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT jobs_ensure_partitions(%s, %s)", [(now - timedelta(days=3)).date(), now.date()])
        cursor.execute(_RUNS, {"first": first, "jobs": JOBS, "runs": RUNS, "now": now, "a_day": A_DAY})
    for table in ("jobs_job", "jobs_cursor", "jobs_jobrun"):
        sql(f"ANALYZE {table}")
    ((key, group),) = sql(
        "SELECT job_id || '-' || (extract(epoch FROM scheduled_for) * 1000000)::bigint, error_group FROM jobs_jobrun"
        " WHERE error_group IS NOT NULL ORDER BY id DESC LIMIT 1"
    )
    return {"JOB": str(first + 7), "KEY": key, "GROUP": group}


def test_no_page_reads_runs_from_end_to_end_not_even_for_a_status_that_few_have(
    admin_client: Client, known: dict[str, str]
) -> None:
    for page in PAGES:
        reads = captured(lambda page=page: _open(admin_client, page, known))
        assert page in NO_RUNS or any(partitions(nodes) for _, nodes in reads), page
        for statement, nodes in reads:
            assert not _of_runs(scans(nodes, of_rows=A_WHOLE_DAY)), (page, statement)


def test_every_count_has_a_bound(admin_client: Client, known: dict[str, str]) -> None:
    for page in (RUN_LIST, f"{RUN_LIST}?since=1h", f"{RUN_LIST}?since=all", JOB_LIST, "/admin/jobs/slotgap/"):
        counts = [text for text, _ in captured(lambda page=page: _open(admin_client, page, known)) if "COUNT(" in text]
        assert counts, page
        assert all(re.search(rf"LIMIT {COUNT_CAP + 1}\b", text) for text in counts), (page, counts)


def _open(client: Client, page: str, known: dict[str, str]) -> None:
    for word, value in known.items():
        page = page.replace(word, value)
    assert client.get(page).status_code == 200, page


def _of_runs(tables: list[str]) -> list[str]:
    return [table for table in tables if table.startswith("jobs_jobrun")]
