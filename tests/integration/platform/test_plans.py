"""What the platform is read by finds its rows by small indexes, at 40,000 runs a day, and stays quick."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from jobs.store.clock import database_now
from jobs.store.dead import Window
from jobs.store.platform import count_recent_dead
from tests.support.elsewhere import sql
from tests.support.plans import indexes, partitions, plan, scans

pytestmark = pytest.mark.django_db
_FILL = """
INSERT INTO jobs_jobrun (job_id, scheduled_for, due_at, run_after, queue, status, finished_at, last_error,
                         locked_by, locked_until)
SELECT n %% 200, slot, slot, slot, 'jobs.default', status, CASE WHEN status IN ('succeeded', 'dead') THEN slot END,
       CASE WHEN status = 'dead' THEN 'error of kind ' || chr(97 + n %% 20) ELSE '' END,
       CASE WHEN status = 'running' THEN '00000000-0000-0000-0000-000000000001'::uuid END,
       CASE WHEN status = 'running' THEN clock_timestamp() END
FROM (SELECT n, %s::timestamptz - n * interval '1 millisecond' AS slot,
             CASE WHEN n <= 1000 THEN 'queued' WHEN n <= 2000 THEN 'running'
                  WHEN n %% 10 = 0 THEN 'dead' ELSE 'succeeded' END AS status
      FROM generate_series(1, 40000) AS n) AS runs
"""


@pytest.fixture
def now() -> datetime:
    """A busy partition: 1,000 runs queued, 1,000 running, 38,000 ended, every tenth of them dead."""
    now = database_now()
    sql(_FILL, now)
    sql("ANALYZE jobs_jobrun")
    return now


def test_expired_leases_are_found_among_the_running_runs_alone(now: datetime) -> None:
    nodes = plan("expired_leases", limit=1000)
    assert indexes(nodes) == {"jobrun_leased"}
    assert not scans(nodes)


def test_the_newest_runs_are_read_from_the_end_of_the_primary_key_in_few_partitions(now: datetime) -> None:
    day = timedelta(days=1)
    nodes = plan("newest_runs", lo=now - day, hi=now + day, limit=1000)
    assert indexes(nodes) == {"jobs_jobrun_pkey"}
    assert not scans(nodes)
    assert len(partitions(nodes)) <= 3


def test_recent_dead_runs_are_counted_from_the_index_of_dead_runs_alone(now: datetime) -> None:
    since = now - timedelta(days=1)
    days = Window.from_day_of(since, now=now)
    nodes = plan("count_recent_dead", day=days.since, since=since, until=days.until, limit=1000, groups=100)
    assert indexes(nodes) == {"jobrun_dead"}
    assert not scans(nodes)
    assert count_recent_dead(now) == 1000


def test_a_shard_s_longest_due_cursor_is_the_first_of_its_index() -> None:
    sql(
        "INSERT INTO jobs_job (name, kind, task)"
        " SELECT 'job-' || n, 'manual', 'tests.noop' FROM generate_series(1, 3000) AS n"
    )
    sql("UPDATE jobs_cursor SET next_run_at = now() + job_id * interval '1 second'")
    sql("ANALYZE jobs_cursor")
    nodes = plan("shards", shards=1)
    assert "cursor_due" in indexes(nodes)
    assert not scans(nodes)
