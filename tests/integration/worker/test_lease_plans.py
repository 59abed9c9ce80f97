"""The hot statements find their rows by key, in the partitions of their range alone."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from jobs.domain.messages import RunKey
from jobs.store.clock import database_now
from jobs.store.days import whole_days
from jobs.store.runs import ensure_days
from tests.support.elsewhere import sql
from tests.support.factories import make_job
from tests.support.plans import indexes, partitions, plan, scans
from tests.support.runs import WORKER

pytestmark = pytest.mark.django_db
RUNS, BATCH = 30_000, 500


STATEMENTS = pytest.mark.parametrize(
    ("name", "extra"),
    [
        (
            "claim",
            {
                "tokens": [1] * BATCH,
                "waits": [None] * BATCH,
                "worker": WORKER,
                "lease_seconds": 30,
                "in_doubt": False,
                "now": None,
            },
        ),
        (
            "renew",
            {
                "tokens": [1] * BATCH,
                "attempts": [1] * BATCH,
                "started_ago": [1.0] * BATCH,
                "worker": WORKER,
                "lease_seconds": 30,
            },
        ),
        (
            "settle",
            {
                "tokens": [1] * BATCH,
                "statuses": ["succeeded"] * BATCH,
                "delays": [0.0] * BATCH,
                "attempts": [1] * BATCH,
                "started_ago": [1.0] * BATCH,
                "results": ["null"] * BATCH,
                "records": [None] * BATCH,
                "last_errors": [""] * BATCH,
                "worker": WORKER,
                "history": 20,
            },
        ),
        ("settled", {"tokens": [1] * BATCH, "statuses": ["succeeded"] * BATCH, "last_errors": [""] * BATCH}),
        ("hand_back", {"tokens": [1] * BATCH, "counted": [False] * BATCH, "worker": WORKER}),
        ("cancel_runs", {"note": ""}),
    ],
)


@pytest.fixture
def busy_day() -> list[RunKey]:
    """A day of many running and ended runs, analysed; the keys of one batch."""
    keys = _fill(database_now())
    sql("ANALYZE jobs_jobrun")
    return keys


@pytest.fixture
def fresh_day() -> list[RunKey]:
    """As many runs in a partition of which the planner knows nothing yet, as at each midnight."""
    day = database_now() + timedelta(days=40)
    ensure_days([day])
    return _fill(day)


def _fill(day: datetime) -> list[RunKey]:
    job = make_job(kind="manual")
    start = day.replace(hour=0, minute=0, second=0, microsecond=0)
    sql(
        "INSERT INTO jobs_jobrun (job_id, scheduled_for, due_at, run_after, queue, status, locked_by, locked_until,"
        " token, finished_at)"
        " SELECT %s, %s::timestamptz + i * interval '1 s', now(), now(), 'jobs.default',"
        " CASE i %% 3 WHEN 0 THEN 'running' WHEN 1 THEN 'queued' ELSE 'succeeded' END,"
        " CASE WHEN i %% 3 = 0 THEN %s::uuid END, CASE WHEN i %% 3 = 0 THEN now() END, i %% 3,"
        " CASE WHEN i %% 3 = 2 THEN now() END FROM generate_series(1, %s) AS i",
        job.pk,
        start,
        WORKER,
        RUNS,
    )
    rows = sql("SELECT job_id, scheduled_for FROM jobs_jobrun WHERE job_id = %s LIMIT %s", job.pk, BATCH)
    return [RunKey(*row) for row in rows]


def keyed(keys: list[RunKey], **extra: Any) -> dict[str, Any]:
    slots = [key.scheduled_for for key in keys]
    return {"job_ids": [key.job_id for key in keys], "slots": slots, **whole_days(slots), **extra}


@STATEMENTS
def test_a_batch_costs_what_its_keys_cost(busy_day: list[RunKey], name: str, extra: dict[str, Any]) -> None:
    nodes = plan(name, **keyed(busy_day, **extra))
    assert scans(nodes) == []
    assert len(partitions(nodes)) == 1
    assert indexes(nodes) <= {"jobrun_slot", "jobs_job_pkey"}


@STATEMENTS
def test_a_partition_without_statistics_is_not_read_from_end_to_end(
    fresh_day: list[RunKey], name: str, extra: dict[str, Any]
) -> None:
    nodes = plan(name, **keyed(fresh_day, **extra))
    assert "Seq Scan" not in {node["Node Type"] for node in nodes if node.get("Relation Name") in partitions(nodes)}
    assert indexes(nodes) <= {"jobrun_slot", "jobs_job_pkey"}
