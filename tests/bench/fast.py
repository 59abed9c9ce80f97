"""No-op tasks through one worker of ``jobs.fast``, against plain Celery with the same queue type, prefetch and pool.

Both queues are filled before their worker starts; the time is from the first start to the last end.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.bench.figures import Figure
from tests.bench.plain_app import QUEUE, app, noop, stamp
from tests.bench.setup import bench_stack
from tests.support.stack import Stack
from tests.support.waiting import wait_until

COUNT = 20_000
WORKER = ("--concurrency", "2", "--prefetch-multiplier", "100", "--without-gossip", "--without-mingle")


def run() -> list[Figure]:
    """Runs a second beside tasks a second; two rounds in turn, the better of each."""
    with bench_stack() as live:
        app.conf.broker_url = live.environment["BROKER_URL"]
        rounds = [(_plain(live, number), _ours(live, number)) for number in range(2)]
    plain, ours = (max(rates) for rates in zip(*rounds, strict=True))
    return [Figure("jobs.fast, no-op runs", ours, "runs/s", "plain Celery", plain, goal=0.8)]


def _plain(live: Stack, number: int) -> float:
    stamps = live.folder / f"stamps-{number}"
    with app.pool.acquire(block=True) as connection, connection.Producer() as producer:
        stamp.apply_async((str(stamps),), producer=producer)
        for _ in range(COUNT):
            noop.apply_async(producer=producer)
        stamp.apply_async((str(stamps),), producer=producer)
    command = [sys.executable, "-m", "celery", "-A", "tests.bench.plain_app", "worker", "-Q", QUEUE, *WORKER]
    worker = live.start("plain", [*command, "-n", f"plain{number}@localhost"])
    wait_until(lambda: stamps.exists() and len(_times(stamps)) == 2, timeout=120, what="plain Celery")
    live.end(worker)
    first, last = _times(stamps)
    return COUNT / (last - first)


def _times(stamps: Path) -> list[float]:
    return [float(line) for line in stamps.read_text().splitlines()]


def _ours(live: Stack, number: int) -> float:
    job = live.save_job(f"noop-{number}", task="tests.support.bodies.noop", queue="jobs.fast")
    live.sql(
        "INSERT INTO jobs_jobrun (job_id, scheduled_for, trigger, due_at, run_after, queue) "
        "SELECT %s, now() + n * interval '1 microsecond', 'manual', now(), now(), 'jobs.fast' "
        "FROM generate_series(1, %s) n",
        job,
        COUNT,
    )
    live.sql("ANALYZE jobs_jobrun")
    settings = json.dumps({"DISPATCH_WINDOW": COUNT})
    beat = live.beat(BEATKEEPER_TEST_SETTINGS=settings)
    wait_until(lambda: _undispatched(live, job) == 0, timeout=60, what="the dispatch")
    live.end(beat)
    name = f"fast{number}"
    worker = live.celery(name, "worker", "-Q", "jobs.fast", "-n", f"{name}@localhost", *WORKER, level="WARNING")
    wait_until(lambda: _unfinished(live, job) == 0, timeout=120, what="the runs", every=0.5)
    live.end(worker)
    [(seconds, succeeded)] = live.sql(
        "SELECT extract(epoch FROM max(finished_at) - min(started_at))::float, "
        "count(*) FILTER (WHERE status = 'succeeded') "
        "FROM jobs_jobrun WHERE job_id = %s",
        job,
    )
    assert succeeded == COUNT
    return COUNT / float(seconds)


def _undispatched(live: Stack, job: int) -> int:
    return int(live.sql("SELECT count(*) FROM jobs_jobrun WHERE job_id = %s AND dispatched_at IS NULL", job)[0][0])


def _unfinished(live: Stack, job: int) -> int:
    return int(live.sql("SELECT count(*) FROM jobs_jobrun WHERE job_id = %s AND finished_at IS NULL", job)[0][0])
