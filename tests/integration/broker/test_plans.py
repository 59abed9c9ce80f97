"""The statements of dispatch and markers find their rows by index, in few partitions, at 40,000 runs a day."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from jobs.models import Marker
from jobs.store.clock import database_now
from jobs.store.days import whole_days
from jobs.store.runs import ensure_days
from jobs.store.unsent import Horizon
from tests.support.elsewhere import sql
from tests.support.factories import make_job
from tests.support.plans import indexes, partitions, plan, scans

_FILL = """
INSERT INTO jobs_jobrun (job_id, scheduled_for, due_at, run_after, queue, status, finished_at, dispatched_at, priority)
SELECT %(job)s, slot, slot, slot, 'jobs.default', CASE WHEN n > 2000 THEN 'succeeded' ELSE 'queued' END,
       CASE WHEN n > 2000 THEN slot END, CASE WHEN n > 1000 THEN slot END, n %% 3
FROM (SELECT n, %(now)s::timestamptz - n * interval '1 millisecond' AS slot FROM generate_series(1, 40000) AS n) AS runs
"""


SOME_OUT = {"but_job_id": "{1,2}", "but_slot": '{"2026-01-01Z","2026-01-02Z"}'}


@pytest.fixture
def now(db: None) -> datetime:
    """A busy partition: 1,000 runs unsent, 1,000 sent, 38,000 ended."""
    now = database_now()
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE jobs_jobrun")  # of what other tests rolled back; this is rolled back too
        cursor.execute(_FILL, {"job": make_job(kind="manual").pk, "now": now})
        cursor.execute("ANALYZE jobs_jobrun")
    return now


@pytest.fixture(params=[1, 4], ids=["one shard", "four shards"])
def range_(now: datetime, request: pytest.FixtureRequest) -> dict[str, Any]:
    horizon = Horizon.hot(now)
    return {"since": horizon.since, "until": horizon.until, "shard": 0, "shards": request.param}


def busy(nodes: list[dict[str, Any]], now: datetime) -> list[dict[str, Any]]:
    """Those of the partition that is filled, and of its indexes: in an empty one any index may serve."""
    name = f"jobs_jobrun_p{now:%Y%m%d}"
    return [node for node in nodes if name in (node.get("Relation Name"), node.get("Index Name", "")[: len(name)])]


def test_the_look_for_the_next_run_probes_the_index(now: datetime, range_: dict[str, Any]) -> None:
    nodes = plan("next_unsent", queues=["jobs.default", "jobs.fast", "jobs.http"], **range_)

    assert not scans(nodes)
    assert indexes(busy(nodes, now)) == {"jobrun_ready"}
    assert len(partitions(nodes)) <= 4


def test_runs_to_send_come_from_the_index_in_its_order(range_: dict[str, Any]) -> None:
    nodes = plan("unsent_runs", queue="jobs.default", now=None, limit=100, **SOME_OUT, **range_)

    assert "jobrun_ready" in indexes(nodes)
    assert not scans(nodes)
    assert len(partitions(nodes)) <= 4


def test_the_unclaimed_are_counted_on_the_index(now: datetime, range_: dict[str, Any]) -> None:
    nodes = plan("count_unclaimed", queue="jobs.default", limit=5000, **range_)

    assert indexes(busy(nodes, now)) == {"jobrun_out"}
    assert not scans(nodes)


def test_with_one_shard_whose_jobs_is_no_part_of_the_plan(range_: dict[str, Any]) -> None:
    nodes = plan("unsent_runs", queue="jobs.default", now=None, limit=100, **SOME_OUT, **range_)

    filters = [node["Filter"] for node in nodes if node.get("Relation Name", "").startswith("jobs_jobrun_p")]
    assert filters
    assert all(("job_id %" in text) is (range_["shards"] > 1) for text in filters)


def _batch(now: datetime) -> dict[str, Any]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT job_id, scheduled_for FROM jobs_jobrun WHERE dispatched_at IS NULL LIMIT 500")
        job_ids, slots = zip(*cursor.fetchall(), strict=True)
    return {"job_id": list(job_ids), "scheduled_for": list(slots), **whole_days(slots)}


def test_the_mark_finds_its_runs_by_key(now: datetime) -> None:
    batch = _batch(now)

    nodes = plan("mark_dispatched", token=[0] * len(batch["job_id"]), **batch)

    assert "jobrun_slot" in indexes(nodes)
    assert not scans(nodes)
    assert len(partitions(nodes)) <= 2  # a batch around midnight


def test_runs_to_move_are_found_by_key(now: datetime) -> None:
    batch = _batch(now)
    size = len(batch["job_id"])

    nodes = plan(
        "move_unsent", token=[0] * size, queue=["jobs.http"] * size, new_queue=["jobs.default"] * size, **batch
    )

    assert "jobrun_slot" in indexes(nodes)
    assert not scans(nodes)
    assert len(partitions(nodes)) <= 2  # a batch around midnight


def test_runs_named_by_key_are_found_by_key(now: datetime) -> None:
    key = {name: value[:1] if isinstance(value, list) else value for name, value in _batch(now).items()}

    nodes = plan("unsent_runs_by_key", **key)

    assert "jobrun_slot" in indexes(nodes)
    assert len(partitions(nodes)) <= 2


def test_lost_runs_are_looked_for_on_the_index(now: datetime, range_: dict[str, Any]) -> None:
    for queue in ("jobs.default", "jobs.fast", "jobs.http"):
        Marker.objects.create(queue=queue, sent_at=now, returned_sent_at=now - timedelta(seconds=30))

    nodes = plan("clear_unreturned", margin=timedelta(seconds=30), limit=1000, **range_)

    assert "jobrun_out" in indexes(nodes)
    assert not scans(nodes)


def test_the_mark_goes_by_key_in_a_new_day_s_partition_that_has_no_statistics(db: None) -> None:
    day = database_now() + timedelta(days=40)
    ensure_days([day])
    sql(
        "INSERT INTO jobs_jobrun (job_id, scheduled_for, due_at, run_after, queue)"
        " SELECT n, %s, %s, %s, 'jobs.default' FROM generate_series(1, 20000) AS n",
        *[day] * 3,
    )
    nodes = plan(
        "mark_dispatched", job_id=list(range(1, 501)), scheduled_for=[day] * 500, token=[0] * 500, **whole_days([day])
    )
    assert indexes(nodes) == {"jobrun_slot"}
    assert all("job_id" in node["Index Cond"] for node in nodes if "Index Name" in node), "a day is read, not its keys"
