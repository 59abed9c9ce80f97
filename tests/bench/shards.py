"""Emit and dispatch of many jobs that come due in one second and one queue, by one, two and four beats that lead a
shard each.

Real processes on a machine that they share with both servers: where these take all of it, more beats bring nothing.
Who goes first changes from round to round; the ratios are medians over the rounds.
"""

from __future__ import annotations

import json
import statistics
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from kombu import Connection

from tests.bench.figures import Figure, scaled
from tests.bench.million import planned_within
from tests.bench.setup import bench_stack
from tests.support.stack import Stack
from tests.support.waiting import wait_until

BEATS = (1, 2, 4)
ROUNDS = 3
_ROUNDS_FROM = 0.1
QUEUE = "jobs.fast"
FULL = 200_000
_JOBS = """
    INSERT INTO jobs_job (name, kind, once_at, task, queue)
    SELECT concat(%s::text, '-', n), 'once', %s, 'tests.support.bodies.noop', 'jobs.fast'
    FROM generate_series(1, %s) AS n
"""
_LEADERS = "SELECT count(DISTINCT holder) FROM jobs_leader WHERE renewed_at > clock_timestamp() - interval '3 seconds'"
_UNSENT = "SELECT count(*) - count(dispatched_at) FROM jobs_jobrun WHERE scheduled_for = %s HAVING count(*) = %s"
_SECONDS = "SELECT extract(epoch FROM max(dispatched_at) - %s)::float FROM jobs_jobrun WHERE scheduled_for = %s"


def run(scale: float) -> Iterator[Figure]:
    """Runs a second from the second in which all are due to the last mark; below a tenth of the size in one round."""
    count, rounds = scaled(FULL, scale), ROUNDS if scale >= _ROUNDS_FROM else 1
    rates: dict[int, list[float]] = {beats: [] for beats in BEATS}
    with bench_stack() as live:
        for turn in range(rounds):
            for beats in BEATS[turn % len(BEATS) :] + BEATS[: turn % len(BEATS)]:
                rates[beats].append(_rate(live, beats, count, name=f"{turn}-{beats}"))
    alone = statistics.median(rates[1])
    yield Figure(f"emit + dispatch of {count:,}, 1 beat", alone, "runs/s")
    for beats in BEATS[1:]:
        ratio = statistics.median(more / one for more, one in zip(rates[beats], rates[1], strict=True))
        name = f"emit + dispatch of {count:,}, {beats} active beats"
        yield Figure(name, statistics.median(rates[beats]), "runs/s", "1 beat", alone, measured_ratio=ratio)


def _rate(live: Stack, beats: int, count: int, *, name: str) -> float:
    live.manage("jobs", "reshard", str(beats))
    with _active(live, beats, count):
        due_at: datetime
        [(due_at,)] = live.sql("SELECT date_trunc('second', now()) + %s * interval '1 second'", planned_within(count))
        live.sql(_JOBS, name, due_at, count)
        live.sql("ANALYZE jobs_job, jobs_cursor")
        wait_until(lambda: live.sql(_UNSENT, due_at, count) == [(0,)], timeout=300, what="all to be sent", every=0.5)
        [(seconds,)] = live.sql(_SECONDS, due_at, due_at)
    _forget(live)
    return count / float(seconds)


@contextmanager
def _active(live: Stack, beats: int, count: int) -> Iterator[None]:
    """So many beats, each of which leads one shard."""
    settings = json.dumps({"SHARDS": beats, "DISPATCH_WINDOW": 2 * count})
    started: list[subprocess.Popen[bytes]] = []
    try:
        for _ in range(beats):
            started.append(live.beat(BEATKEEPER_TEST_SETTINGS=settings))
        wait_until(lambda: live.sql(_LEADERS) == [(beats,)], timeout=60, what=f"{beats} leaders")
        yield
    finally:
        for beat in started:
            live.end(beat)


def _forget(live: Stack) -> None:
    """Let no later round meet what this one made."""
    live.sql("UPDATE jobs_jobrun SET status = 'succeeded', finished_at = now() WHERE finished_at IS NULL")
    live.sql("UPDATE jobs_job SET archived_at = now() WHERE archived_at IS NULL")
    live.sql("VACUUM ANALYZE jobs_jobrun")
    with Connection(live.environment["BROKER_URL"]) as broker:
        broker.default_channel.queue_purge(QUEUE)
