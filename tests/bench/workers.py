"""Durable no-op runs a second: our fast queue beside plain Celery without and with results, procrastinate, pgqueuer.

Each has two processes that work, and a queue that was filled before they started. They work in turns, so that the
machine's other work falls on all of them. What each promises for its rate is told in docs/reference/benchmarks.md.
"""

from __future__ import annotations

import os
import statistics
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

from kombu import Connection

from tests.bench.fast import COUNT, PLAIN, ours
from tests.bench.figures import Beside, Figure
from tests.bench.peers.environment import Peers, peers
from tests.bench.plain_fill import fill
from tests.bench.setup import bench_stack
from tests.bench.turns import Contender, depth, rounds
from tests.support.stack import Stack
from tests.support.waiting import wait_until

COUNT_PGQUEUER = 150_000
ROUNDS = 5
PROCESSES = 2
_SETTINGS = "tests.bench.peers.settings"


def run(scale: float) -> list[Figure]:
    """Medians over the turns, and that of the turns' ratios to plain Celery; at any scale."""
    with ExitStack() as all_of_them:
        live = all_of_them.enter_context(bench_stack())
        others = all_of_them.enter_context(peers(live))
        others.run("django", "migrate", "-v", "0", DJANGO_SETTINGS_MODULE=_SETTINGS)
        contenders = [all_of_them.enter_context(one) for one in _contenders(live, others)]
        rounds(contenders, ROUNDS)
    return [_figure(*contenders)]


def _figure(mine: Contender, plain: Contender, *rest: Contender) -> Figure:
    return Figure(
        "no-op runs, two processes",
        statistics.median(mine.rates),
        "runs/s",
        plain.name,
        statistics.median(plain.rates),
        goal=0.9,
        measured_ratio=statistics.median(ours / theirs for ours, theirs in zip(mine.rates, plain.rates, strict=True)),
        others=tuple(Beside(one.name, statistics.median(one.rates)) for one in rest),
    )


def _contenders(live: Stack, others: Peers) -> Iterator[AbstractContextManager[Contender]]:
    yield ours(live)
    yield _celery(others, "plain Celery")
    yield _celery(others, "  Redis results", PLAIN_RESULTS=os.environ["REDIS_URL"])
    yield _celery(others, "  django-celery-results", PLAIN_RESULTS="django-db", DJANGO_SETTINGS_MODULE=_SETTINGS)
    yield _procrastinate(others)
    yield _pgqueuer(others)


@contextmanager
def _celery(others: Peers, name: str, **variables: str) -> Iterator[Contender]:
    queue = name.strip().lower().replace(" ", "-")
    url = others.live.environment["BROKER_URL"]
    fill(url, queue, COUNT)
    worker = others.start(queue, *PLAIN, "-Q", queue, "-n", f"{queue}@localhost", PLAIN_QUEUE=queue, **variables)
    with Connection(url) as connection:
        channel = connection.channel()
        yield _started(Contender(name, [worker], lambda: depth(channel, queue)))


@contextmanager
def _procrastinate(others: Peers) -> Iterator[Contender]:
    module = ("procrastinate", "-a", "tests.bench.peers.procrastinate_app.app")
    others.run(*module, "schema", "--apply")
    others.sql(
        "INSERT INTO procrastinate_jobs (queue_name, task_name) "
        f"SELECT 'default', 'noop' FROM generate_series(1, {COUNT})"
    )
    workers = [others.start("procrastinate", *module, "worker", "-c", "10") for _ in range(PROCESSES)]
    _wait_for_all(others, "SELECT count(*) FROM procrastinate_workers")
    yield _started(_of_rows(others, "procrastinate", workers, "procrastinate_jobs WHERE status = 'todo'"))


@contextmanager
def _pgqueuer(others: Peers) -> Iterator[Contender]:
    others.run("pgqueuer", "install", PGDSN=others.database_url)
    others.sql(
        "INSERT INTO pgqueuer (priority, status, entrypoint) "
        f"SELECT 0, 'queued', 'noop' FROM generate_series(1, {COUNT_PGQUEUER})"
    )
    command = ("pgqueuer", "run", "tests.bench.peers.pgqueuer_app:manager")
    options = ("--batch-size", "100", "--log-level", "WARNING")
    workers = [others.start("pgqueuer", *command, *options) for _ in range(PROCESSES)]
    _wait_for_all(others, "SELECT count(DISTINCT queue_manager_id) FROM pgqueuer WHERE status = 'picked'")
    yield _started(_of_rows(others, "pgqueuer", workers, "pgqueuer WHERE status = 'queued'"))


def _wait_for_all(others: Peers, query: str) -> None:
    """Let every process begin, since a later turn is no time to start in."""
    wait_until(lambda: others.sql(query)[0][0] == PROCESSES, timeout=60, what="both processes", every=0.02)


def _of_rows(others: Peers, name: str, workers: list[subprocess.Popen[bytes]], left: str) -> Contender:
    return Contender(name, workers, lambda: int(others.sql(f"SELECT count(*) FROM {left}")[0][0]))


def _started(contender: Contender) -> Contender:
    contender.wait_until_consuming()
    return contender
