"""Emit and dispatch of many due jobs, against py-amqp publishing alone to the same queue.

As in the product: emission on one connection, dispatch on a thread with connections of its own.
"""

from __future__ import annotations

import json
import time
import uuid

from tests.bench.figures import Figure
from tests.bench.plain_publish import publish_alone
from tests.bench.setup import bench_stack
from tests.support.stack import Stack

COUNT = 20_000
QUEUE = "jobs.fast"


def run() -> list[Figure]:
    """Runs a second from due job to marked run; two rounds in turn, the better of each."""
    import os

    os.environ["BEATKEEPER_TEST_SETTINGS"] = json.dumps({"DISPATCH_WINDOW": 2 * COUNT})
    with bench_stack() as live:
        from kombu import Connection

        from jobs.broker import topology

        with Connection(live.environment["BROKER_URL"]) as connection:
            topology.declare(connection)
        rounds = [(_alone(), _ours(live, number)) for number in range(2)]
    alone, ours = (max(rates) for rates in zip(*rounds, strict=True))
    return [Figure("emit + dispatch", ours, "runs/s", "py-amqp alone", alone, goal=0.5)]


def _alone() -> float:
    """The headers and body of a run's message."""
    name = str(uuid.uuid4())
    headers = {
        "lang": "py",
        "task": "tests.support.bodies.noop",
        "id": name,
        "root_id": name,
        "parent_id": None,
        "group": None,
        "retries": 0,
        "timelimit": [1800, None],
        "eta": None,
        "expires": None,
        "shadow": "due-1",
        "argsrepr": "…",
        "kwargsrepr": "…",
        "origin": "beatkeeper",
        "ignore_result": True,
        "jobs-run": {"key": "1-1790000000000000", "token": 0},
    }
    body = json.dumps([[], {}, {"callbacks": None, "errbacks": None, "chain": None, "chord": None}]).encode()
    return publish_alone(QUEUE, COUNT, headers, body)


def _ours(live: Stack, number: int) -> float:
    from jobs.beat.dispatcher import Dispatcher  # Django is set up by now
    from jobs.services.emit import emit_due
    from jobs.services.lead import take_term
    from jobs.services.plan import plan_waiting
    from jobs.store.unsent import Horizon, next_unsent

    live.sql(
        "INSERT INTO jobs_job (name, kind, cron, task, queue) "
        "SELECT 'due-' || %s || '-' || n, 'cron', '* * * * *', 'tests.support.bodies.noop', 'jobs.fast' "
        "FROM generate_series(1, %s) n",
        number,
        COUNT,
    )
    term = take_term(0, holder=uuid.uuid4())
    assert term is not None
    while plan_waiting(term):
        pass
    live.sql(
        "UPDATE jobs_cursor SET next_run_at = NULL WHERE job_id NOT IN (SELECT id FROM jobs_job WHERE name LIKE %s)",
        f"due-{number}-%",
    )
    [(due_at,)] = live.sql("SELECT date_trunc('minute', now()) + interval '1 minute'")
    live.sql("ANALYZE jobs_job, jobs_cursor")
    _wait_for(due_at.timestamp())
    horizon = Horizon.hot(due_at)
    dispatcher = Dispatcher()
    dispatcher.start()
    began = time.perf_counter()
    emitted = 0
    while emitted < COUNT:
        emitted += emit_due(term).runs
        dispatcher.wake()
    while next_unsent([QUEUE], horizon):
        time.sleep(0.05)
    rate = COUNT / (time.perf_counter() - began)
    dispatcher.stop()
    return rate


def _wait_for(moment: float) -> None:
    while time.time() < moment + 0.01:
        time.sleep(0.05)
