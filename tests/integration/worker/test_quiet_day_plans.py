"""A day that was analyzed while nothing ran, and then a burst: each batch still costs what its keys cost.

The statistics then say that no run of the day is held or waits. A join that believes them expects one row, reads all
runs of the day and compares each with the whole batch.
"""

from __future__ import annotations

from typing import Any

import pytest

from jobs.store.clock import database_now
from jobs.store.days import whole_days
from tests.support.elsewhere import sql
from tests.support.plans import indexes, plan
from tests.support.runs import WORKER

pytestmark = pytest.mark.django_db
RUNS, BATCH = 10_000, 500
_ENDED = """
INSERT INTO jobs_jobrun (job_id, scheduled_for, due_at, run_after, queue, status, finished_at)
SELECT n, %s::timestamptz + n * interval '1 second', now(), now(), 'jobs.default', 'succeeded', now()
FROM generate_series(1, %s) AS n
"""


@pytest.fixture
def burst() -> dict[str, Any]:
    """The keys of a batch on such a day."""
    midnight = database_now().replace(hour=0, minute=0, second=0, microsecond=0)
    sql(_ENDED, midnight, RUNS)
    sql("ANALYZE jobs_jobrun")
    return {"job_ids": list(range(BATCH)), "slots": [midnight] * BATCH, **whole_days([midnight])}


@pytest.mark.parametrize(
    ("name", "extra"),
    [
        ("renew", {"attempts": [1] * BATCH, "started_ago": [1.0] * BATCH}),
        (
            "settle",
            {
                "statuses": ["succeeded"] * BATCH,
                "delays": [0.0] * BATCH,
                "attempts": [1] * BATCH,
                "started_ago": [1.0] * BATCH,
                "results": ["null"] * BATCH,
                "records": [None] * BATCH,
                "last_errors": [""] * BATCH,
                "history": 20,
            },
        ),
        ("hand_back", {"counted": [False] * BATCH}),
    ],
)
def test_a_batch_of_leases_is_found_by_its_keys(burst: dict[str, Any], name: str, extra: dict[str, Any]) -> None:
    nodes = plan(name, **burst, tokens=[1] * BATCH, worker=WORKER, lease_seconds=30, **extra)
    assert "jobrun_slot" in indexes(nodes)
    assert not _compares_each_with_each(nodes)


def test_a_batch_of_marks_is_found_by_its_keys(burst: dict[str, Any]) -> None:
    keys = {"job_id": burst.pop("job_ids"), "scheduled_for": burst.pop("slots")}
    nodes = plan("mark_dispatched", **burst, **keys, token=[0] * BATCH)
    assert "jobrun_slot" in indexes(nodes)
    assert not _compares_each_with_each(nodes)


def _compares_each_with_each(nodes: list[dict[str, Any]]) -> bool:
    return any(node["Node Type"] == "Nested Loop" and "Join Filter" in node for node in nodes)
