"""What the pages ask for finds its rows by index, at 40,000 runs a day."""

from __future__ import annotations

import pytest

from tests.support.elsewhere import sql
from tests.support.plans import indexes, plan, scans

pytestmark = pytest.mark.django_db
_FILL = """
INSERT INTO jobs_jobrun (job_id, scheduled_for, due_at, run_after, queue, status, finished_at)
SELECT n %% 200, slot, slot, slot, 'jobs.default', CASE WHEN n > 2000 THEN 'succeeded' ELSE 'queued' END,
       CASE WHEN n > 2000 THEN slot END
FROM (SELECT n, now() - n * interval '1 millisecond' AS slot FROM generate_series(1, 40000) AS n) AS runs
"""


@pytest.fixture(autouse=True)
def _busy_day() -> None:
    sql(_FILL)
    sql("ANALYZE jobs_jobrun")


def test_a_page_of_strips_steps_through_the_index_of_slots() -> None:
    nodes = plan("recent_runs", job_ids=list(range(50)), each=20)
    assert "jobrun_slot" in indexes(nodes)
    assert not scans(nodes)
    assert not [node for node in nodes if node["Node Type"] == "Sort"]


def test_a_day_whose_runs_all_wait_is_not_read_for_the_queues_that_have_none() -> None:
    sql("UPDATE jobs_jobrun SET status = 'queued', finished_at = NULL")
    sql("ANALYZE jobs_jobrun")
    nodes = plan("backlog", queues=["jobs.default", "jobs.fast", "jobs.http"], limit=1000)
    assert indexes(nodes) <= {"jobrun_ready", "jobrun_out", "jobrun_leased"}
    assert not scans(nodes)


def test_the_backlog_reads_the_indexes_of_unfinished_runs_alone() -> None:
    nodes = plan("backlog", queues=["jobs.default", "jobs.fast", "jobs.http"], limit=1000)
    assert indexes(nodes) <= {"jobrun_ready", "jobrun_out", "jobrun_leased"}
    assert not scans(nodes)
