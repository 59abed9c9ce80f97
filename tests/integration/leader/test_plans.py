"""The leader's statements cost what is due, not what there is: never a scan of a million jobs."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from jobs.services.reap import window
from jobs.store.clock import database_now
from jobs.store.days import whole_days
from tests.support.elsewhere import sql
from tests.support.plans import indexes, nodes_of, partitions, plan, scans

JOBS, RUNS = 20_000, 30_000


@pytest.fixture(scope="module")
def _full(django_db_setup: None, django_db_blocker: Any) -> Any:
    """Twenty thousand jobs, a few of them due, and a day of runs; undone afterwards."""
    with django_db_blocker.unblock():
        connection.ensure_connection()
        connection.set_autocommit(False)
        sql(
            "INSERT INTO jobs_job (name, kind, cron, task) SELECT 'full-' || n, 'cron', '0 0 1 1 *', 'tests.noop'"
            " FROM generate_series(1, %s) AS n",
            JOBS,
        )
        sql("UPDATE jobs_cursor SET plan_needed = false, next_run_at = now() + job_id * interval '1 minute'")
        sql(
            "INSERT INTO jobs_jobrun (job_id, scheduled_for, due_at, run_after, queue, status, finished_at)"
            " SELECT n, date_trunc('day', now()) + n * interval '1 second', now(), now(), 'jobs.default',"
            " 'succeeded', now() FROM generate_series(1, %s) AS n",
            RUNS,
        )
        for table in ("jobs_job", "jobs_cursor", "jobs_jobrun"):
            sql(f"ANALYZE {table}")
        yield
        connection.rollback()
        connection.set_autocommit(True)
        for table in ("jobs_job", "jobs_cursor", "jobs_jobrun"):
            sql(f"ANALYZE {table}")
        connection.close()


@pytest.fixture(autouse=True)
def _each_in_a_savepoint(_full: None, db: None) -> None:
    pass


def lo_hi() -> dict[str, Any]:
    lo, hi = window(database_now(), everywhere=False)
    return {"lo": lo, "hi": hi}


def test_due_cursors_are_found_by_their_time() -> None:
    nodes = plan("lock_due_cursors", shard=0, now=None, batch=1000)
    assert indexes(nodes) == {"cursor_due"}
    assert scans(nodes) == []


def test_unplanned_cursors_are_found_by_their_mark() -> None:
    nodes = plan("lock_unplanned_cursors", shard=0, batch=1000)
    assert indexes(nodes) <= {"cursor_plan"}
    assert scans(nodes) == []


def test_cursors_are_marked_for_planning_a_stretch_at_a_time_whatever_statistics_say_of_their_slots() -> None:
    sql("UPDATE jobs_cursor SET next_run_at = NULL")
    sql("ANALYZE jobs_cursor")  # as before anything was planned
    nodes = plan("replan_cursors", after_job=1, batch=100)
    assert indexes(nodes) == {"jobs_cursor_pkey"}
    assert scans(nodes) == []


def test_lost_cursors_are_looked_for_a_stretch_at_a_time() -> None:
    nodes = plan("mend_cursors", after_job=1, batch=100)
    assert not {"cursor_due", "cursor_plan"} & indexes(nodes)
    assert scans(nodes) == []


def test_definitions_are_read_by_key() -> None:
    nodes = plan("planned_jobs", job_ids=[1, 2, 3])
    assert indexes(nodes) == {"jobs_job_pkey"}


def test_cursors_are_advanced_by_key() -> None:
    few = {"job_id": "{1,2}", "next_run_at": "{NULL,NULL}", "last_slot": "{NULL,NULL}", "plan_from": "{NULL,NULL}"}
    nodes = plan("set_cursors", **few, error='{"",""}')
    assert scans(nodes) == []


def test_an_idle_look_reads_the_first_entries_of_indexes_in_four_partitions() -> None:
    nodes = plan("look", shard=0, lease_seconds=30, **lo_hi())
    assert scans(nodes) == []
    assert len(partitions(nodes)) <= 4
    assert {"cursor_due", "cursor_plan", "jobrun_unannounced"} <= indexes(nodes)


def test_lost_leases_are_found_by_their_holders() -> None:
    nodes = plan("lock_expired", now=None, lease_seconds=30, limit=500, **lo_hi())
    assert scans(nodes) == []
    assert len(partitions(nodes)) <= 4


def test_missed_runs_are_found_by_their_deadline() -> None:
    nodes = plan("end_missed", now=database_now() + timedelta(0), limit=500, **lo_hi())
    assert scans(nodes) == []


def test_ends_that_are_not_told_are_found_by_their_mark() -> None:
    nodes = plan("lock_unannounced", limit=500, **lo_hi())
    assert indexes(nodes) == {"jobrun_unannounced"}
    assert scans(nodes) == []
    assert len(partitions(nodes)) <= 4


def test_ends_are_marked_as_told_by_key() -> None:
    now = database_now()
    nodes = plan("mark_announced", job_ids="{1,2}", slots=f"{{{now},{now}}}", **whole_days([now]))
    assert indexes(nodes) == {"jobrun_slot"}
    assert len(partitions(nodes)) == 1


def test_cursors_are_moved_by_key_a_stretch_at_a_time() -> None:
    nodes = plan("move_cursors", after_job=0, batch=100)
    assert indexes(nodes) >= {"jobs_cursor_pkey"}
    assert scans(nodes) == []


def test_the_highest_shard_is_the_last_entry_of_an_index() -> None:
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (FORMAT JSON) SELECT max(shard) FROM jobs_cursor")
        nodes = nodes_of(cursor.fetchone()[0])
    assert indexes(nodes) == {"cursor_due"}
    assert scans(nodes) == []


def test_who_leads_each_shard_is_seen_without_a_look_at_any_job() -> None:
    nodes = plan("watch_shards", space=1, beats_space=2, shards=4, ttl_seconds=10, present_seconds=3)
    assert {node.get("Relation Name") for node in nodes} & {"jobs_cursor", "jobs_job", "jobs_jobrun"} == set()


def test_overdue_cursors_are_found_by_their_time() -> None:
    nodes = plan("overdue_cursors", shard=0, due_before=database_now(), limit=10)
    assert scans(nodes) == []
