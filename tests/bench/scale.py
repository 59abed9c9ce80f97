"""What the number of stored jobs costs a beat: its start, its memory, an idle look, an edit, planning them all.

The same is measured with a thousandth of the jobs in the same run: what depends on their number shows in the ratio.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass

import psycopg

from tests.bench.figures import Figure, percentile, scaled
from tests.bench.million import store_jobs, wait_until_planned
from tests.bench.processes import peak_rss_mib
from tests.bench.setup import bench_stack
from tests.support.stack import Stack
from tests.support.waiting import wait_until

JOBS = 1_000_000
FEW = 1_000
LOOKS = 300
EDITS = 50
_LIVING = "name = %s AND archived_at IS NULL"  # the condition of the names' index
_EACH_SECOND = {
    "kind": "interval",
    "interval_seconds": 1,
    "anchor_at": "2026-01-01T00:00:00Z",
    "task": "tests.support.bodies.noop",
}


@dataclass(frozen=True, slots=True)
class Cost:
    """What a beat costs: to its first run in seconds, at its most MiB; a look and edits, in milliseconds."""

    start: float
    memory: float
    look: float
    edits: list[float]


def run(scale: float) -> list[Figure]:
    """The cost with a million jobs beside that with a thousand."""
    count = scaled(JOBS, scale, least=2 * FEW)
    with bench_stack() as live:
        _store_planned(live, 1, FEW)
        live.save_job("each-second", **_EACH_SECOND)
        few = _cost(live)
        planning = _store_planned(live, FEW + 1, count)
        many = _cost(live)
    return _figures(few, many, count, planning)


def _store_planned(live: Stack, first: int, last: int) -> float:
    """Store jobs and have a beat plan them; seconds from its first to its last plan."""
    store_jobs(live, first, last)
    beat = live.beat()
    wait_until(lambda: live.sql("SELECT 1 FROM jobs_cursor WHERE next_run_at IS NOT NULL"), timeout=60, what="a plan")
    began = time.perf_counter()
    wait_until_planned(live, timeout=600)
    took = time.perf_counter() - began
    live.end(beat)
    live.sql("VACUUM ANALYZE jobs_cursor")
    return took


def _cost(live: Stack) -> Cost:
    with psycopg.connect(live.database_url, autocommit=True) as connection:
        began = time.perf_counter()
        last = _newest(connection)
        beat = live.beat()
        wait_until(lambda: _newest(connection) != last, timeout=60, what="the first run", every=0.005)
        start = time.perf_counter() - began
        edits = [_edit(connection, number) for number in range(EDITS)]
        memory = peak_rss_mib(beat.pid)
        live.end(beat)
    return Cost(start, memory, _look(), edits)


def _newest(connection: psycopg.Connection) -> object:
    return connection.execute("SELECT max(scheduled_for) FROM jobs_jobrun").fetchone()


def _edit(connection: psycopg.Connection, number: int) -> float:
    """Change one job's schedule; milliseconds until the leader has planned it anew."""
    name, began = f"stored-{1 + number * 19}", time.perf_counter()
    connection.execute(f"UPDATE jobs_job SET cron = %s WHERE {_LIVING}", [f"{number} 3 1 1 *", name])
    planned = f"SELECT 1 FROM jobs_cursor JOIN jobs_job ON id = job_id WHERE {_LIVING} AND NOT plan_needed"
    wait_until(lambda: connection.execute(planned, [name]).fetchone(), timeout=30, what="the plan", every=0.001)
    return 1000 * (time.perf_counter() - began)


def _look() -> float:
    """Milliseconds of what an idle tick asks the database."""
    from jobs.conf import config  # Django is set up by now
    from jobs.services.reap import window
    from jobs.store.clock import database_now
    from jobs.store.look import look

    lo, hi = window(database_now(), everywhere=False)
    times = []
    for _ in range(LOOKS):
        began = time.perf_counter()
        look(0, lease_seconds=config().lease, lo=lo, hi=hi)
        times.append(1000 * (time.perf_counter() - began))
    return statistics.median(times)


def _figures(few: Cost, many: Cost, count: int, planning: float) -> list[Figure]:
    peer = f"at {FEW:,} jobs"
    middle = percentile(many.edits, 0.5)
    return [
        Figure(f"{count:,} jobs: beat's start to its first run", many.start, "s", peer, few.start),
        Figure("  beat's memory", many.memory, "MiB", peer, few.memory, aim=120, at_most=True),
        Figure("  an idle tick's look", many.look, "ms", peer, few.look, aim=2, at_most=True),
        Figure("  an edit until it is planned, p50", middle, "ms", peer, percentile(few.edits, 0.5)),
        Figure(
            "  an edit until it is planned, most", max(many.edits), "ms", peer, max(few.edits), aim=1000, at_most=True
        ),
        Figure("  planning of new jobs", (count - FEW) / planning, "jobs/s"),
    ]
