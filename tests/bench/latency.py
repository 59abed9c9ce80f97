"""A manual run from its commit to the start of its body, beside plain ``apply_async`` to the start of its body."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.figures import Figure, Series, distribution, percentile
from tests.bench.plain_app import QUEUE, app, stamp
from tests.bench.setup import bench_stack
from tests.support.stack import Stack
from tests.support.waiting import let_pass, wait_until

COUNT = 300
PAUSE = 0.02
WORKER = ("--concurrency", "2", "--prefetch-multiplier", "1", "--without-gossip", "--without-mingle")


def run(scale: float) -> Iterator[Figure | Series]:
    """p50 and p99 in milliseconds; idle workers, one at a time, as many at any scale."""
    with bench_stack() as live:
        app.conf.broker_url = live.environment["BROKER_URL"]
        ours = _ours(live)
        plain = _plain(live)
    for share, aim in ((50, 10), (99, 50)):
        mine, theirs = percentile(ours, share / 100), percentile(plain, share / 100)
        name = f"manual run, commit to start, p{share}"
        yield Figure(name, mine, "ms", "apply_async", theirs, aim=aim, at_most=True)
    yield distribution("From commit to start", "milliseconds", {"manual run": ours, "apply_async": plain})


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
    worker = live.start("plain", [*command, "-n", "plain@localhost"], DJANGO_SETTINGS_MODULE="")
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
