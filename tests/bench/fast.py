"""No-op tasks through one worker of ``jobs.fast``, against plain Celery with the same queue type, prefetch and pool.

Both queues are filled before their worker starts; then the workers work in turns. What is left over is thrown away, so
that a slow machine makes the bench no longer.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from kombu import Connection

from tests.bench.figures import Figure
from tests.bench.plain_app import QUEUE
from tests.bench.plain_fill import fill
from tests.bench.setup import bench_stack
from tests.bench.turns import Contender, alternate, depth
from tests.support.stack import Stack
from tests.support.waiting import wait_until

COUNT = 40_000
PAIRS = 15
WORKER = ("--concurrency", "2", "--prefetch-multiplier", "100", "--without-gossip", "--without-mingle")
PLAIN = ("celery", "-A", "tests.bench.plain_app", "worker", *WORKER)


def run(scale: float) -> list[Figure]:
    """Runs a second beside tasks a second: medians over turns, and the median of the pairs' ratios; at any scale."""
    with bench_stack() as live, _plain(live) as peer, ours(live) as contender:
        ratio = alternate(contender, peer, pairs=PAIRS)
    plain_rate, our_rate = statistics.median(peer.rates), statistics.median(contender.rates)
    return [
        Figure("jobs.fast, no-op runs", our_rate, "runs/s", "plain Celery", plain_rate, goal=0.9, measured_ratio=ratio)
    ]


@contextmanager
def _plain(live: Stack) -> Iterator[Contender]:
    fill(live.environment["BROKER_URL"], QUEUE, COUNT)
    command = [sys.executable, "-m", *PLAIN, "-Q", QUEUE, "-n", "plain@localhost"]
    worker = live.start("plain", command, DJANGO_SETTINGS_MODULE="")
    with Connection(live.environment["BROKER_URL"]) as connection:
        channel = connection.channel()
        contender = Contender("plain Celery", [worker], lambda: depth(channel, QUEUE))
        contender.wait_until_consuming()
        yield contender


@contextmanager
def ours(live: Stack) -> Iterator[Contender]:
    """A worker on ``jobs.fast``, full of no-op runs; in the end none of them may have gone wrong."""
    _dispatch_runs(live)
    options = ["-Q", "jobs.fast", "-n", "fast@localhost", *WORKER]
    with Connection(live.environment["BROKER_URL"]) as connection:
        channel = connection.channel()
        worker = live.celery("fast", "worker", *options, level="WARNING")
        contender = Contender("Beatkeeper", [worker], lambda: depth(channel, "jobs.fast"))
        contender.wait_until_consuming()
        yield contender
        [(otherwise,)] = live.sql(
            "SELECT count(*) FROM jobs_jobrun WHERE status NOT IN ('queued', 'running', 'succeeded')"
        )
        assert not otherwise


def _dispatch_runs(live: Stack) -> None:
    live.sql(
        "INSERT INTO jobs_jobrun (job_id, scheduled_for, trigger, due_at, run_after, queue) "
        "SELECT %s, now() + n * interval '1 microsecond', 'manual', now(), now(), 'jobs.fast' "
        "FROM generate_series(1, %s) n",
        live.save_job("noop", task="tests.support.bodies.noop", queue="jobs.fast"),
        COUNT,
    )
    live.sql("ANALYZE jobs_jobrun")
    beat = live.beat(BEATKEEPER_TEST_SETTINGS=json.dumps({"DISPATCH_WINDOW": COUNT}))
    wait_until(lambda: _undispatched(live) == 0, timeout=120, what="the dispatch")
    live.end(beat)


def _undispatched(live: Stack) -> int:
    return int(live.sql("SELECT count(*) FROM jobs_jobrun WHERE dispatched_at IS NULL")[0][0])
