"""A day's load at its peak: 167 runs a second among many stored jobs, with an edit every second.

Ten thousand jobs run once a minute, spread over its seconds. Lateness is a body's start after its slot, by the
database's clock, over the runs of the measured time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobs import clock
from tests.bench.figures import Figure, Series, distribution, percentile, rate_over_time, scaled
from tests.bench.million import store_jobs, wait_until_planned
from tests.bench.processes import cpu_seconds, tree
from tests.bench.setup import bench_stack
from tests.support.stack import Stack
from tests.support.waiting import let_pass, wait_until

STORED = 1_000_000
EACH_MINUTE = 10_020
SECONDS = 300
WORKER = ("--prefetch-multiplier", "100", "--without-gossip", "--without-mingle")
_JOBS = """
INSERT INTO jobs_job (name, kind, interval_seconds, anchor_at, task, queue)
SELECT 'minutely-' || n, 'interval', 60, '2026-01-01T00:00:00Z'::timestamptz + n %% 60 * interval '1 second',
       'tests.support.bodies.noop', 'jobs.fast'
FROM generate_series(1, %s) AS n
"""
_LATENESS = """
SELECT extract(epoch FROM scheduled_for)::float8, 1000 * extract(epoch FROM started_at - scheduled_for)::float8
FROM jobs_jobrun WHERE scheduled_for > %s AND scheduled_for <= %s
"""


def run(scale: float) -> Iterator[Figure | Series]:
    """Lateness in milliseconds, and what the beat used of a core."""
    stored, seconds = scaled(STORED, scale), scaled(SECONDS, scale, least=30)
    with bench_stack() as live:
        store_jobs(live, 1, stored)
        live.sql(_JOBS, EACH_MINUTE)
        beat = live.beat()
        live.celery("fast", "worker", "-Q", "jobs.fast", "-c", "2", "-n", "fast@localhost", *WORKER, level="WARNING")
        wait_until_planned(live, timeout=600)
        live.sql("VACUUM ANALYZE jobs_cursor")
        wait_until(lambda: _is_abreast(live), timeout=120, what="the worker to be abreast", every=1)
        core, rows = _measured(live, beat.pid, seconds)
    late = [row[1] for row in rows]
    yield from _figures(late, core, seconds, stored)
    yield distribution("Start lateness", "ms", {f"{len(rows) / seconds:.0f} runs/s": late})
    first = min(row[0] for row in rows)
    starts = [row[0] - first + row[1] / 1000 for row in rows]
    yield rate_over_time("Starts", "runs/s", {"started": starts})


def _is_abreast(live: Stack) -> bool:
    return not live.sql(
        "SELECT 1 FROM jobs_jobrun WHERE finished_at IS NULL AND scheduled_for < now() - interval '2 s'"
    )


def _measured(live: Stack, beat: int, seconds: int) -> tuple[float, list[tuple[Any, ...]]]:
    """The beat's share of a core, in percent, and (slot, lateness in ms) of each run."""
    [(since,)] = live.sql("SELECT clock_timestamp()")
    before, began = cpu_seconds(tree(beat)), clock.monotonic()
    for number in range(1, seconds + 1):
        live.sql(
            "UPDATE jobs_job SET cron = %s WHERE name = %s AND archived_at IS NULL",  # the condition of its index
            f"{number % 60} 3 1 1 *",
            f"stored-{number}",
        )
        let_pass(max(0.0, began + number - clock.monotonic()))
    [(until,)] = live.sql("SELECT clock_timestamp()")
    core = 100 * (cpu_seconds(tree(beat)) - before) / (clock.monotonic() - began)
    started = "SELECT 1 FROM jobs_jobrun WHERE started_at IS NULL AND scheduled_for > %s AND scheduled_for <= %s"
    wait_until(lambda: not live.sql(started, since, until), timeout=120, what="the last starts", every=0.5)
    return core, live.sql(_LATENESS, since, until)


def _figures(late: list[float], core: float, seconds: int, stored: int) -> list[Figure]:
    name = f"{len(late) / seconds:.0f} runs/s for {seconds} s, {stored + EACH_MINUTE:,} jobs"
    return [
        Figure(f"{name}: start lateness, p50", percentile(late, 0.5), "ms", aim=30, at_most=True),
        Figure("  p99", percentile(late, 0.99), "ms", aim=200, at_most=True),
        Figure("  most", max(late), "ms", aim=2000, at_most=True),
        Figure("  beat's share of a core", core, "%", aim=10, at_most=True),
    ]
