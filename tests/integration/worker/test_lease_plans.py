"""The hot statements find their rows by key, in the partitions of their range alone."""

from __future__ import annotations

from typing import Any

import pytest

from jobs.domain.messages import RunKey
from jobs.store.clock import database_now
from tests.support.elsewhere import sql
from tests.support.factories import make_job
from tests.support.plans import indexes, partitions, plan, scans
from tests.support.runs import WORKER

pytestmark = pytest.mark.django_db
RUNS, BATCH = 30_000, 100


@pytest.fixture
def busy_day() -> list[RunKey]:
    """A day of many running and ended runs, analysed; the keys of one batch."""
    job = make_job(kind="manual")
    start = database_now().replace(hour=0, minute=0, second=0, microsecond=0)
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
    sql("ANALYZE jobs_jobrun")
    rows = sql("SELECT job_id, scheduled_for FROM jobs_jobrun ORDER BY scheduled_for LIMIT %s", BATCH)
    return [RunKey(*row) for row in rows]


def keyed(keys: list[RunKey], **extra: Any) -> dict[str, Any]:
    slots = [key.scheduled_for for key in keys]
    return {"job_ids": [key.job_id for key in keys], "slots": slots, "lo": min(slots), "hi": max(slots), **extra}


@pytest.mark.parametrize(
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
    ],
)
def test_a_batch_costs_what_its_keys_cost(busy_day: list[RunKey], name: str, extra: dict[str, Any]) -> None:
    nodes = plan(name, **keyed(busy_day, **extra))
    assert scans(nodes) == []
    assert len(partitions(nodes)) == 1
    assert indexes(nodes) <= {"jobrun_slot", "jobs_job_pkey"}
