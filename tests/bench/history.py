"""What history costs: the leader's look, the workers' batches and the pages under 10 million runs in 60 partitions.

And with 100 partitions, to show what breaks; a day that is dropped under load; what a run leaves behind; what an idle
installation asks. At ``scale`` 1 there are a million jobs and ten million runs, and 20 minutes of wear.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import psycopg
from django.db import connection, transaction

from tests.bench import past
from tests.bench.dropping import drop_under_load
from tests.bench.figures import Figure, Series, scaled
from tests.bench.life import Cost, Life, step_millis
from tests.bench.million import wait_until_planned
from tests.bench.pages import Pages
from tests.bench.setup import bench_stack
from tests.bench.wear import wear
from tests.support.stack import Stack
from tests.support.waiting import let_pass, wait_until

USUAL = past.DAYS + past.AHEAD + 1
PARTITIONS = (USUAL, 60, 100)
LOOKS, BATCHES, BATCH = 200, 10, 200
IDLE_SECONDS = 20.0
KEYED = ("mark", "claim", "settle")
_BY_ID = "SELECT * FROM jobs_jobrun WHERE id = %(id)s"
_BEGUN = """
SELECT pid, query_start FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
"""


@dataclass(frozen=True, slots=True)
class Seen:
    """Milliseconds of an idle look, and of a run found by its id alone; batches; locks that the latter takes."""

    look: float
    by_id: float
    locks: int
    batches: Sequence[Cost]


def run(scale: float = 0.1) -> Iterator[Figure | Series]:
    """Each with history beside the same without, or with 60 and 100 partitions beside the usual 45."""
    jobs, runs, waiting = scaled(1_000_000, scale, least=1_000), scaled(10_000_000, scale), scaled(100_000, scale)
    with bench_stack() as live:
        past.add_partitions(USUAL)
        first_job = past.add_jobs(jobs)
        life, pages = Life(first_job=first_job, jobs=jobs), Pages(job=first_job)
        empty, pages_before = _see(life), pages.milliseconds()
        past.add_runs(runs, first_job=first_job, jobs=jobs)
        past.add_waiting(waiting, first_job=first_job, jobs=jobs)
        title = f"{jobs:,} jobs, {runs:,} runs, {waiting:,} queued"
        seen = {}
        for number in PARTITIONS:
            past.add_partitions(number)
            seen[number] = _see(life)
            if number == 60:
                yield from _pages(pages_before, pages.milliseconds())
        yield from _by_history(title, empty, seen[USUAL])
        yield from _by_partitions(seen)
        past.drop_below_retention()
        yield from drop_under_load(life)
        yield from wear(life, seconds=scaled(1_200, scale, least=10))
        connection.close()  # and with it the shard, which a beat now takes
        yield from _idle(live)


def _see(life: Life) -> Seen:
    batches = [life.batch(BATCH) for _ in range(BATCHES + 1)][1:]
    by_id = _median_millis(lambda: past.execute(_BY_ID, id=1))
    with transaction.atomic():
        past.execute(_BY_ID, id=1)
        [(locks,)] = past.execute("SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND NOT fastpath")
    return Seen(_look(), by_id, locks, batches)


def _look() -> float:
    from jobs.conf import config  # Django is set up by now
    from jobs.services.reap import window
    from jobs.store.clock import database_now
    from jobs.store.look import look

    lo, hi = window(database_now(), everywhere=False)
    return _median_millis(lambda: look(0, lease_seconds=config().lease, lo=lo, hi=hi))


def _by_history(title: str, empty: Seen, full: Seen) -> Iterator[Figure]:
    yield Figure(f"idle look: {title}", full.look, "ms", "no history", empty.look, aim=2, at_most=True)
    for step in KEYED:
        value, peer = step_millis(full.batches, step), step_millis(empty.batches, step)
        yield Figure(f"  {step}, a batch of {BATCH}", value, "ms", "no history", peer, goal=2, at_most=True)


def _pages(before: dict[str, float], after: dict[str, float]) -> Iterator[Figure]:
    for page, millis in after.items():
        yield Figure(f"{page}: in the database", millis, "ms", "no history", before[page], aim=100, at_most=True)


def _by_partitions(seen: dict[int, Seen]) -> Iterator[Figure]:
    usual = seen[USUAL]
    for number in PARTITIONS[1:]:
        now, peer = seen[number], f"{USUAL} partitions"
        yield Figure(f"{number} partitions: idle look", now.look, "ms", peer, usual.look)
        for step in KEYED:
            yield Figure(f"  {step}", step_millis(now.batches, step), "ms", peer, step_millis(usual.batches, step))
        yield Figure("  a run by its id alone", now.by_id, "ms", peer, usual.by_id)
        room = _lock_table()
        yield Figure("  such transactions at once until locks run out", room / now.locks, "", peer, room / usual.locks)


def _lock_table() -> int:
    """How many locks the server has room for, at least."""
    each, sessions = ("max_locks_per_transaction", "max_connections")
    [(locks,)] = past.execute(f"SELECT current_setting('{each}')::int * current_setting('{sessions}')::int")
    return int(locks)


def _idle(live: Stack) -> Iterator[Figure]:
    """Statements a second of an idle beat, and of one idle worker."""
    live.beat()
    noted = "SELECT 1 FROM jobs_state WHERE key = 'tzdata_version'"
    wait_until(lambda: live.sql(noted), timeout=600, what="a first leader's round over the zone rules")
    wait_until_planned(live, timeout=600)
    let_pass(15)
    beat = _statements_a_second(live)
    live.worker("jobs.default")
    yield Figure("idle beat, statements a second", beat, "/s")
    yield Figure("  an idle worker beside it", _statements_a_second(live) - beat, "/s")


def _statements_a_second(live: Stack) -> float:
    """As many as are seen to begin; several of one session within two milliseconds count as one.

    The server's own count of transactions holds those of autovacuum too, which has plenty to do after a bench.
    """
    seen = set()
    until = time.perf_counter() + IDLE_SECONDS
    with psycopg.connect(live.database_url, autocommit=True) as asking:
        begun = set(asking.execute(_BEGUN).fetchall())
        while time.perf_counter() < until:
            seen.update(asking.execute(_BEGUN).fetchall())
            let_pass(0.002)
    return len(seen - begun) / IDLE_SECONDS


def _median_millis(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(LOOKS):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return 1000 * statistics.median(taken)
