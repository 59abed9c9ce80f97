"""What a run costs as jobs and history grow: emit, select, mark, claim and settle, wall time and WAL: flat.

First the jobs grow without history, then the history under the most jobs. ``scale`` 0.1 goes to 100,000 jobs and a
million runs, 1 to a million and ten, 5 to fifty million runs: that takes half an hour and 40 GB of disk.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.bench import past
from tests.bench.figures import Figure
from tests.bench.life import STEPS, Cost, Life, step_millis, typical
from tests.bench.setup import bench_stack

BATCH = 500
BATCHES = 15
JOBS = (1_000, 10_000, 100_000, 1_000_000)
RUNS = (1_000_000, 10_000_000, 50_000_000)
# What a run may cost at the most, against the first cell: an index a level deeper, pages that are not in cache. A plan
# that has turned over costs ten times as much.
MOST_TIME, MOST_WAL = 2.0, 1.5


def run(scale: float = 0.1) -> list[Figure]:
    """Microseconds and bytes of WAL a run by cell, each against that of 1,000 jobs without history."""
    cells: list[tuple[int, int, list[Cost]]] = []
    with bench_stack():
        past.add_partitions(past.DAYS + past.AHEAD + 1)
        life = None
        runs = 0
        for jobs in _sizes(JOBS, JOBS[-1] * min(scale, 1)):
            first_job = past.add_jobs(jobs)
            life = life or Life(first_job=first_job, jobs=jobs)
            life.grow(jobs)
            cells.append((jobs, runs, _measure(life)))
        for more in _sizes(RUNS, 10_000_000 * scale):
            past.add_runs(more - runs, first_job=first_job, jobs=jobs)
            runs = more
            cells.append((jobs, runs, _measure(life)))
    return [*_table(cells), *_steps(cells[0], cells[-1])]


def _sizes(known: Sequence[int], most: float) -> list[int]:
    """Those up to the most; below the first of them the most itself."""
    return [size for size in known if size <= most] or [int(most)]


def _measure(life: Life) -> list[Cost]:
    """The costs of some batches, after two that warm up."""
    return [life.batch(BATCH) for _ in range(BATCHES + 2)][2:]


def _table(cells: Sequence[tuple[int, int, list[Cost]]]) -> list[Figure]:
    figures = []
    micros_at_first, wal_at_first = typical(cells[0][2])
    for jobs, runs, costs in cells:
        micros, wal = typical(costs)
        cell = f"a run at {jobs:,} jobs, {runs:,} runs"
        figures.append(Figure(cell, micros, "us", "at first", micros_at_first, goal=MOST_TIME, at_most=True))
        figures.append(Figure("  WAL", wal, "B", "at first", wal_at_first, goal=MOST_WAL, at_most=True))
    return figures


def _steps(first: tuple[int, int, list[Cost]], last: tuple[int, int, list[Cost]]) -> list[Figure]:
    return [
        Figure(
            f"  {step}, a batch of {BATCH}", step_millis(last[2], step), "ms", "at first", step_millis(first[2], step)
        )
        for step in STEPS
    ]
