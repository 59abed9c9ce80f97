"""Emit and dispatch of many due jobs, against the broker alone, which takes the same messages ready-made.

As in the product: emission on one connection, dispatch on a thread with connections of its own. Several pairs, back to
back, with who begins in turn: what else a shared machine does falls on both, and the ratio is the pairs' median.
"""

from __future__ import annotations

import json
import os
import statistics
import time
import uuid
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tests.bench.figures import Beside, Figure
from tests.bench.plain_insert import insert_alone
from tests.bench.plain_publish import publish_alone, publish_frames
from tests.bench.setup import bench_stack
from tests.support.stack import Stack
from tests.support.waiting import wait_until

if TYPE_CHECKING:
    from jobs.beat.dispatcher import Dispatcher
    from jobs.store.terms import Term

COUNT = 4_000
PAIRS = 5
ROUNDS = 3
QUEUE = "jobs.fast"


def run(scale: float) -> list[Figure]:
    """Runs a second from due job to marked run: medians, and the median of the pairs' ratios; at any scale."""
    os.environ["BEATKEEPER_TEST_SETTINGS"] = json.dumps({"DISPATCH_WINDOW": 2 * COUNT * PAIRS})
    with bench_stack() as live:
        from kombu import Connection

        from jobs.beat.dispatcher import Dispatcher  # Django is set up by now
        from jobs.broker import topology

        with Connection(live.environment["BROKER_URL"]) as connection:
            topology.declare(connection)
        term, due_at = _due_jobs(live)
        rows = [insert_alone(live.database_url, f"due-{number}-%", due_at) for number in range(PAIRS, PAIRS + ROUNDS)]
        encoded = [publish_alone(QUEUE, COUNT) for _ in range(ROUNDS)]
        dispatcher = Dispatcher()
        dispatcher.start()
        pairs = [_pair(live, number, term, due_at, dispatcher) for number in range(PAIRS)]
        dispatcher.stop()
        [(sent,)] = live.sql("SELECT count(*) FROM jobs_jobrun WHERE dispatched_at IS NOT NULL")
        assert sent == COUNT * PAIRS
    alone, ours = (statistics.median(rates) for rates in zip(*pairs, strict=True))
    ratio = statistics.median(our_rate / alone_rate for alone_rate, our_rate in pairs)
    return [
        Figure(
            "emit + dispatch",
            ours,
            "runs/s",
            "frames encoded once",
            alone,
            goal=0.32,
            measured_ratio=ratio,
            aim=10_000,
            others=(Beside("py-amqp alone", statistics.median(encoded)),),
            limit=Beside("rows alone", statistics.median(rows)),
        )
    ]


def _pair(live: Stack, number: int, term: Term, due_at: datetime, dispatcher: Dispatcher) -> tuple[float, float]:
    if number % 2:
        ours = _ours(live, number, term, due_at, dispatcher)
        return publish_frames(QUEUE, COUNT), ours
    return publish_frames(QUEUE, COUNT), _ours(live, number, term, due_at, dispatcher)


def _due_jobs(live: Stack) -> tuple[Term, datetime]:
    """The jobs of all pairs and rounds, planned, and the minute that each pair is made due at: the last that began."""
    from jobs.services.lead import take_term
    from jobs.services.plan import plan_waiting

    live.sql(
        "INSERT INTO jobs_job (name, kind, cron, task, queue) "
        "SELECT 'due-' || pair || '-' || n, 'cron', '* * * * *', 'tests.support.bodies.noop', 'jobs.fast' "
        "FROM generate_series(0, %s - 1) pair, generate_series(1, %s) n",
        PAIRS + ROUNDS,
        COUNT,
    )
    term = take_term(0, holder=uuid.uuid4())
    assert term is not None
    while plan_waiting(term):
        pass
    live.sql("UPDATE jobs_cursor SET next_run_at = NULL")
    [(due_at,)] = live.sql("SELECT date_trunc('minute', now())")
    live.sql("ANALYZE jobs_job, jobs_cursor")
    return term, due_at


def _ours(live: Stack, number: int, term: Term, due_at: datetime, dispatcher: Dispatcher) -> float:
    from jobs.services.emit import emit_due
    from jobs.store.unsent import Horizon, next_unsent

    live.sql(
        "UPDATE jobs_cursor SET next_run_at = %s, plan_from = %s, last_slot = NULL "
        "WHERE job_id IN (SELECT id FROM jobs_job WHERE name LIKE %s)",
        due_at,
        due_at - timedelta(seconds=1),
        f"due-{number}-%",
    )
    horizon = Horizon.hot(due_at)
    began = time.perf_counter()
    emitted = 0
    while emitted < COUNT:
        runs = emit_due(term, now=due_at + timedelta(seconds=1)).runs
        assert runs, f"{COUNT - emitted} of {COUNT} due jobs were not emitted"
        emitted += runs
        dispatcher.wake()
    wait_until(lambda: not next_unsent([QUEUE], horizon), timeout=120, what="the dispatch", every=0.02)
    return COUNT / (time.perf_counter() - began)
