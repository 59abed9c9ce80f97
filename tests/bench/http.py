"""HTTP runs through one worker process, against plain Celery with ``requests`` in threads, on the same local server.

Two loads: endpoints that answer at once, and two thousand that take one second each, all at once. Queues are filled
before their worker starts; the server counts, from the first request to the last answer.
"""

from __future__ import annotations

import json
import sys
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass

from tests.bench.figures import Figure
from tests.bench.plain_app import QUEUE, app
from tests.bench.plain_post import post
from tests.bench.processes import peak_rss_mib
from tests.bench.setup import bench_stack
from tests.support.stack import Stack
from tests.support.waiting import wait_until

COUNT = 8_000
AT_ONCE = 2_000
_THREADS = 100
_OPTIONS = ("--without-gossip", "--without-mingle", "--prefetch-multiplier", "1")
_SETTINGS = json.dumps({"EGRESS_ALLOW": ["127.0.0.1/32"], "DISPATCH_WINDOW": COUNT})


@dataclass(frozen=True, slots=True)
class Load:
    """How a worker did: calls a second, and the most memory it held, in MiB."""

    rate: float
    memory: float


def run(scale: float) -> list[Figure]:
    """Calls a second and memory under both loads, which are the same at any scale."""
    with bench_stack() as live:
        app.conf.broker_url = live.environment["BROKER_URL"]
        url = _serve(live)
        plain = _plain(live, f"{url}/now", COUNT, threads=_THREADS, sink=url)
        ours = _ours(live, "now", f"{url}/now", COUNT, sink=url)
        plain_slow = _plain(live, f"{url}/second", AT_ONCE, threads=AT_ONCE, sink=url)
        slow = _ours(live, "second", f"{url}/second", AT_ONCE, sink=url)
    few, many = (f"Celery + requests, {threads:,} threads" for threads in (_THREADS, AT_ONCE))
    return [
        Figure("HTTP runs through one process", ours.rate, "runs/s", few, plain.rate, goal=1.5, aim=1500),
        Figure("  peak memory", ours.memory, "MiB", few, plain.memory),
        Figure(f"{AT_ONCE:,} calls of 1 s at once", slow.rate, "runs/s", many, plain_slow.rate),
        Figure("  peak memory", slow.memory, "MiB", many, plain_slow.memory, aim=150, at_most=True),
    ]


def _serve(live: Stack) -> str:
    file = live.folder / "port"
    live.start("sink", [sys.executable, "-m", "tests.bench.sink", str(file)])
    wait_until(lambda: file.exists() and file.read_text(), timeout=20, what="the local server")
    return f"http://127.0.0.1:{file.read_text()}"


def _plain(live: Stack, url: str, count: int, *, threads: int, sink: str) -> Load:
    with app.pool.acquire(block=True) as connection, connection.Producer() as producer:
        for _ in range(count):
            post.apply_async((url,), producer=producer)
    command = [sys.executable, "-m", "celery", "-A", "tests.bench.plain_post", "worker", "-Q", QUEUE, *_OPTIONS]
    options = ["-P", "threads", "-c", str(threads), "-n", f"plain{threads}@localhost"]
    worker = live.start("plain", [*command, *options], DJANGO_SETTINGS_MODULE="")
    return _measured(worker.pid, sink, count, lambda: live.end(worker))


def _ours(live: Stack, name: str, url: str, count: int, *, sink: str) -> Load:
    job = _http_job(live, name, url)
    live.sql(
        "INSERT INTO jobs_jobrun (job_id, scheduled_for, trigger, due_at, run_after, queue) "
        "SELECT %s, now() + n * interval '1 microsecond', 'manual', now(), now(), 'jobs.http' "
        "FROM generate_series(1, %s) n",
        job,
        count,
    )
    live.sql("ANALYZE jobs_jobrun")
    beat = live.beat(BEATKEEPER_TEST_SETTINGS=_SETTINGS)
    wait_until(lambda: _left(live, job, "dispatched_at") == 0, timeout=60, what="the dispatch")
    live.end(beat)
    options = ("worker", "-Q", "jobs.http", "-c", str(AT_ONCE), "-n", f"{name}@localhost", *_OPTIONS)
    worker = live.celery(name, *options, level="WARNING", BEATKEEPER_TEST_SETTINGS=_SETTINGS)
    load = _measured(worker.pid, sink, count, lambda: _finish(live, job))
    live.end(worker)
    return load


def _http_job(live: Stack, name: str, url: str) -> int:
    endpoint = live.sql("INSERT INTO jobs_endpoint (name, url) VALUES (%s, %s) RETURNING id", name, url)[0][0]
    return live.save_job(f"http-{name}", task="", endpoint_id=endpoint)


def _left(live: Stack, job: int, column: str) -> int:
    return int(live.sql(f"SELECT count(*) FROM jobs_jobrun WHERE job_id = %s AND {column} IS NULL", job)[0][0])


def _finish(live: Stack, job: int) -> None:
    wait_until(lambda: _left(live, job, "finished_at") == 0, timeout=60, what="the runs to be settled")
    [(wrong,)] = live.sql("SELECT count(*) FROM jobs_jobrun WHERE job_id = %s AND status <> 'succeeded'", job)
    assert not wrong


def _measured(pid: int, sink: str, count: int, finish: Callable[[], object]) -> Load:
    seconds = wait_until(lambda: _seconds(sink, count), timeout=120, what="the calls", every=0.5)
    memory = peak_rss_mib(pid)
    finish()
    return Load(count / seconds, memory)


def _seconds(sink: str, count: int) -> float:
    """How long the server took for so many calls; 0 while some are still to come."""
    taken = _ask(f"{sink}/taken")
    return float(_ask(f"{sink}/taken?anew")["seconds"]) if taken["calls"] >= count else 0.0


def _ask(url: str) -> dict[str, float]:
    with urllib.request.urlopen(url, timeout=10) as answer:
        found: dict[str, float] = json.load(answer)
    return found
