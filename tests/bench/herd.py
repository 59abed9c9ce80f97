"""The top of the hour: many jobs due at one instant among all that are stored, until the broker holds the last.

No worker runs, and the window is wide enough for all: what is measured is a beat. A run's mark is written after the
broker's confirm, so each figure is a little late. Who asks how far it is asks seldom, since that costs as well.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from tests.bench.figures import Figure, scaled
from tests.bench.million import planned_within, store_jobs, wait_until_planned
from tests.bench.plain_publish import publish_frames
from tests.bench.setup import bench_stack
from tests.support.stack import Stack
from tests.support.waiting import wait_until

STORED = 1_000_000
# How many, the aim in seconds, and the goal: how often longer it may take than its messages alone.
HERDS = ((10_000, 1.0, 3.1), (100_000, 8.0, 2.5))
QUEUE = "jobs.fast"
PEER = "the broker alone, same messages ready-made"
_WINDOW = 200_000
_TASK = "tests.support.bodies.noop"


@dataclass(frozen=True, slots=True)
class Arrival:
    """Seconds from the instant until the broker held half of a herd, and all of it."""

    half: float
    last: float


def run(scale: float) -> list[Figure]:
    """Seconds from the instant to the last confirmed message, for each herd."""
    stored = scaled(STORED, scale)
    with bench_stack() as live:
        store_jobs(live, 1, stored)
        beat = live.beat(BEATKEEPER_TEST_SETTINGS=json.dumps({"DISPATCH_WINDOW": _WINDOW}))
        wait_until_planned(live, timeout=600)
        live.sql("VACUUM ANALYZE jobs_cursor")
        figures = []
        for number, (size, aim, goal) in enumerate(HERDS):
            herd = scaled(size, min(1.0, scale * 10), least=1_000)
            arrival = _herd(live, number, herd)
            alone = herd / publish_frames(QUEUE, herd)
            name = f"{herd:,} due at one instant among {stored + herd:,}"
            figures += [
                Figure(
                    f"{name}, last confirmed",
                    arrival.last,
                    "s",
                    PEER,
                    alone,
                    goal=goal if herd == size else None,
                    at_most=True,
                    aim=aim,
                ),
                Figure("  half confirmed", arrival.half, "s"),
                Figure("  runs a second", herd / arrival.last, "runs/s"),
            ]
        live.end(beat)
    return figures


def _herd(live: Stack, number: int, size: int) -> Arrival:
    [(slot,)] = live.sql(
        "SELECT date_trunc('minute', now() + %s * interval '1 second') + interval '1 minute'", planned_within(size)
    )
    job = "'cron', to_char(%s::timestamptz AT TIME ZONE 'UTC', 'FMMI FMHH24') || ' * * *'"
    live.sql(
        f"INSERT INTO jobs_job (name, kind, cron, task, queue) "
        f"SELECT 'herd-{number}-' || n, {job}, '{_TASK}', '{QUEUE}' FROM generate_series(1, %s) n",
        slot,
        size,
    )
    wait_until_planned(live, timeout=100)
    live.sql("ANALYZE jobs_job, jobs_cursor")
    wait_until(lambda: _is_sent(live, slot), timeout=300, what="the herd", every=1)
    [(sent, half, last)] = live.sql(
        "SELECT count(dispatched_at), "
        "percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM dispatched_at - scheduled_for)), "
        "max(extract(epoch FROM dispatched_at - scheduled_for))::float8 "
        "FROM jobs_jobrun WHERE scheduled_for = %s",
        slot,
    )
    assert sent == size
    return Arrival(half, last)


def _is_sent(live: Stack, slot: object) -> bool:
    """Whether nothing of the herd is left to emit or to send, by two probes of an index."""
    return bool(
        live.sql(
            "SELECT now() > %s AND NOT EXISTS (SELECT FROM jobs_cursor WHERE shard = 0 AND next_run_at <= %s) "
            "AND NOT EXISTS (SELECT FROM jobs_jobrun WHERE queue = %s AND priority = 0 AND scheduled_for = %s "
            "AND dispatched_at IS NULL AND finished_at IS NULL)",
            slot,
            slot,
            QUEUE,
            slot,
        )[0][0]
    )
