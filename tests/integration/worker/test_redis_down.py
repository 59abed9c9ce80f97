"""Redis holds the results of ordinary tasks alone: no run needs it."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from jobs.domain.messages import RUN_HEADER
from tests.support.waiting import wait_until
from tests.support.worker_stack import WorkerStack

QUEUE = "jobs.fast"


@pytest.fixture(scope="module")
def without_redis(workers: WorkerStack) -> Iterator[WorkerStack]:
    """A worker started while Redis is down."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    process = workers.worker(queue=QUEUE, concurrency=1, REDIS_URL=f"redis://127.0.0.1:{port}/0")
    yield workers
    assert workers.stop_worker(process) == 0


@pytest.mark.parametrize(
    ("task", "status"), [("returns", "succeeded"), ("ignores", "succeeded"), ("rejects", "dead"), ("fails", "dead")]
)
def test_runs_end_as_ever_without_redis(without_redis: WorkerStack, task: str, status: str) -> None:
    arguments = (False,) if task == "rejects" else ()
    key = without_redis.start(task, *arguments, queue=QUEUE, max_attempts=1)
    assert without_redis.until(key).status == status


def test_an_unknown_task_without_redis_ends_no_worker(without_redis: WorkerStack) -> None:
    """Celery would write its failure to the result backend, and exit."""
    run = without_redis.add_run_of(without_redis.stack.save_job("no-redis-unknown", task="nowhere.task"), queue=QUEUE)
    without_redis.publish(run)
    assert without_redis.until_row(run, lambda row: row.dispatched_at is None).attempts == 0
    before = without_redis.dead_letters()
    headers = {"lang": "py", "task": "nowhere.task", "id": "unknown", "root_id": "unknown", "retries": 0}
    without_redis.send("[[], {}, {}]", QUEUE, headers=headers)
    without_redis.send("[[], {}, {}]", QUEUE, headers={**headers, RUN_HEADER: "unreadable"})
    wait_until(lambda: without_redis.dead_letters() == before + 2, 30, "both to be dead letters")
    assert without_redis.until(without_redis.start("returns", queue=QUEUE)).status == "succeeded"
