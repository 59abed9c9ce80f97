"""A manual run from its commit to the start of its body, beside plain ``apply_async`` to the start of its body."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from tests.bench.figures import Figure, percentile
from tests.bench.plain_app import QUEUE, app, stamp
from tests.bench.setup import bench_stack
from tests.support.stack import Stack
from tests.support.waiting import let_pass, wait_until

COUNT = 300
PAUSE = 0.02
WORKER = ("--concurrency", "2", "--prefetch-multiplier", "1", "--without-gossip", "--without-mingle")


def run() -> list[Figure]:
    """p50 and p99 in milliseconds; idle workers, one at a time."""
    with bench_stack() as live:
        app.conf.broker_url = live.environment["BROKER_URL"]
        ours = _ours(live)
        plain = _plain(live)
    return [
        Figure(
            f"manual run, commit to start, p{share:g}",
            percentile(ours, share / 100),
            "ms",
            "apply_async",
            percentile(plain, share / 100),
        )
        for share in (50, 99)
    ]


def _ours(live: Stack) -> list[float]:
    from django.db import transaction  # Django is set up by now

    from jobs.models import Job
    from jobs.services.run import run_job

    live.beat()
    worker = live.worker("jobs.default")
    job = Job.objects.get(pk=live.save_job("manual"))
    committed: dict[str, float] = {}
    for _ in range(COUNT):
        with transaction.atomic():
            moments: list[float] = []
            transaction.on_commit(lambda moments=moments: moments.append(time.time()))
            key = run_job(job)
        committed[str(key)] = moments[0]
        let_pass(PAUSE)
    wait_until(lambda: len(live.lines("started")) == COUNT, timeout=30, what="the runs")
    live.end(worker)
    return [1000 * (line.at - committed[line.key]) for line in live.lines("started")]


def _plain(live: Stack) -> list[float]:
    stamps = live.folder / "stamps"
    command = [sys.executable, "-m", "celery", "-A", "tests.bench.plain_app", "worker", "-Q", QUEUE, *WORKER]
    worker = live.start("plain", [*command, "-n", "plain@localhost"])
    stamp.delay(str(stamps))
    wait_until(stamps.exists, timeout=30, what="plain Celery's worker")
    sent = []
    for _ in range(COUNT):
        sent.append(time.time())
        stamp.delay(str(stamps))
        let_pass(PAUSE)
    wait_until(lambda: len(_times(stamps)) == COUNT + 1, timeout=30, what="the tasks")
    live.end(worker)
    started = sorted(_times(stamps))[1:]
    return [1000 * (start - at) for at, start in zip(sent, started, strict=True)]


def _times(stamps: Path) -> list[float]:
    return [float(line) for line in stamps.read_text().splitlines()]
