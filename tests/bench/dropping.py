"""A day that is dropped while 167 runs a second are led through their life: what the load sees of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import timedelta

from tests.bench.figures import Figure, Series
from tests.bench.life import Life
from tests.bench.past import execute
from tests.support.elsewhere import Elsewhere
from tests.support.waiting import let_pass

A_SECOND = 167
TURNS_A_SECOND = 10
QUIET_SECONDS = 10.0
READER_SECONDS = 1.5
# A detach that made all wait for an open reader would be seen as the reader's 1.5 s.
MOST_MILLIS = 500.0

Point = tuple[float, float]


def drop_under_load(life: Life) -> Iterator[Figure | Series]:
    """The slowest step of a batch before the drop and during it; a reader that began before it ends 1.5 s later."""
    quiet_until = time.perf_counter() + QUIET_SECONDS
    before = _load(life, lambda: time.perf_counter() > quiet_until)
    rows = _rows_of_the_oldest()
    with Elsewhere() as reader, Elsewhere() as housekeeper:
        reader.do(execute, "BEGIN")
        reader.do(execute, "SELECT 1 FROM jobs_jobrun LIMIT 1")
        over = reader.begin(_end_later)
        dropping = housekeeper.begin(_drop_the_oldest)
        during = _load(life, lambda: over.done() and dropping.done())
        dropped, took = dropping.result()
    assert len(dropped) == 1, f"dropped {dropped}"
    worst_before, worst = (max(millis for _, millis in points) for points in (before, during))
    yield Figure(
        f"slowest step, a day of {rows:,} runs dropped",
        worst,
        "ms",
        "before",
        worst_before,
        aim=MOST_MILLIS,
        at_most=True,
    )
    yield Figure(f"  the drop itself, a reader open for {READER_SECONDS:g} s", took, "s")
    yield Series("A day dropped under load", "seconds", "slowest step, ms", {"before": before, "during": during})


def _load(life: Life, is_over: Callable[[], bool]) -> list[Point]:
    """Ten batches a second until it is over; of each when it was and its slowest step in milliseconds."""
    points = []
    began = time.perf_counter()
    turn = 0
    while not is_over() or turn < TURNS_A_SECOND:
        cost = life.batch(A_SECOND // TURNS_A_SECOND)
        points.append((time.perf_counter() - began, 1000 * max(cost.seconds.values())))
        turn += 1
        let_pass(max(0.0, began + turn / TURNS_A_SECOND - time.perf_counter()))
    return points


def _end_later() -> None:
    let_pass(READER_SECONDS)
    execute("ROLLBACK")


def _drop_the_oldest() -> tuple[list[str], float]:
    """Prune as if it were tomorrow; what was dropped, and the seconds that took."""
    from jobs.services.prune import prune_partitions  # Django is set up by now
    from jobs.store.clock import database_now

    began = time.perf_counter()
    dropped = prune_partitions(database_now() + timedelta(days=1))
    return dropped, time.perf_counter() - began


def _rows_of_the_oldest() -> int:
    from jobs.store.partitions import partitions

    return partitions()[0].rows
