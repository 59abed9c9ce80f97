"""What people ask for finds its rows by index, at 40,000 runs a day."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from jobs.store.clock import database_now
from jobs.store.days import whole_days
from jobs.store.endpoint_users import endpoint_users
from tests.support.elsewhere import sql
from tests.support.factories import make_endpoint
from tests.support.plans import indexes, partitions, plan, scans

pytestmark = pytest.mark.django_db
JOB = 7
_FILL = """
INSERT INTO jobs_jobrun (job_id, scheduled_for, due_at, run_after, queue, status, finished_at, exclusive)
SELECT n %% 200, slot, slot, slot, 'jobs.default', CASE WHEN n > 2000 THEN 'succeeded' ELSE 'queued' END,
       CASE WHEN n > 2000 THEN slot END, n %% 200 = 7
FROM (SELECT n, %s::timestamptz - n * interval '1 millisecond' AS slot FROM generate_series(1, 40000) AS n) AS runs
"""


@pytest.fixture
def now() -> datetime:
    """A busy partition: 200 jobs, 2,000 runs queued, 38,000 ended."""
    now = database_now()
    sql(_FILL, now)
    sql("ANALYZE jobs_jobrun")
    return now


def test_a_cancel_finds_its_runs_by_key_in_their_partitions(now: datetime) -> None:
    nodes = plan("cancel_runs", job_ids=[JOB], slots=[now], note="", **whole_days([now]))
    assert indexes(nodes) == {"jobrun_slot"}
    assert not scans(nodes)
    assert len(partitions(nodes)) == 1


def test_the_next_free_instant_is_read_from_the_end_of_the_index(now: datetime) -> None:
    nodes = plan("free_instant", job_id=JOB, wanted=now - timedelta(seconds=1), below=now)
    assert indexes(nodes) == {"jobrun_slot"}
    assert not scans(nodes)


def test_archiving_reads_only_runs_of_its_job_or_unfinished_ones(now: datetime) -> None:
    nodes = plan("cancel_queued_of_job", job_id=JOB, note="")
    assert indexes(nodes) <= {"jobrun_slot", "jobrun_open", "jobrun_ready"}
    assert not scans(nodes)


def test_the_doctor_steps_from_queue_to_queue(now: datetime) -> None:
    nodes = plan("unserved_queues", queues=["jobs.default"], limit=5)
    assert indexes(nodes) == {"jobrun_ready", "jobrun_out"}
    assert not scans(nodes)


def test_the_jobs_of_an_endpoint_are_counted_by_index_up_to_the_cap() -> None:
    busy, idle = make_endpoint(), make_endpoint()
    sql(
        "INSERT INTO jobs_job (name, kind, task, endpoint_id) SELECT 'job-' || n, 'manual',"
        " CASE WHEN n > 200 THEN 'tests.noop' ELSE '' END, CASE WHEN n <= 200 THEN %s END"
        " FROM generate_series(1, 3000) AS n",
        busy.pk,
    )
    sql("ANALYZE jobs_job")
    nodes = plan("endpoint_users", endpoint_ids=[idle.pk], cap=100)
    assert any(name.startswith("jobs_job_endpoint_id") for name in indexes(nodes))
    assert not scans(nodes)
    assert endpoint_users([busy.pk, idle.pk], cap=100) == {busy.pk: 100, idle.pk: 0}
    assert endpoint_users([], cap=100) == {}
