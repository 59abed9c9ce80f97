"""What runs leave behind: WAL and bytes a run, dead rows and their cleaning by autovacuum, over a stretch of time."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

from tests.bench.figures import Figure, Series
from tests.bench.life import Life
from tests.bench.past import execute
from tests.support.waiting import let_pass

BATCH = 200
BATCHES_A_SECOND = 2.5  # 500 runs a second: three times the promised peak, for as long as this takes
_SAMPLE_SECONDS = 2.0
_SIZE = """
SELECT sum(pg_table_size(relid)), sum(pg_indexes_size(relid)) FROM pg_partition_tree('jobs_jobrun') WHERE isleaf
"""
_DEAD = """
SELECT sum(n_dead_tup), sum(autovacuum_count) FROM pg_stat_user_tables WHERE relname LIKE 'jobs_jobrun_p%%'
"""


def wear(life: Life, *, seconds: float) -> Iterator[Figure | Series]:
    """A steady load for so many seconds. Each run is written four times, so three of its rows are dead at its end."""
    table, indexes = execute(_SIZE)[0]
    cleanings = _dead()[1]
    runs, wal, samples = 0, [], [(0.0, 0.0)]
    began = time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        wal.append(life.batch(BATCH).wal_a_run)
        runs += BATCH
        if passed - samples[-1][0] >= _SAMPLE_SECONDS:
            samples.append((passed, _dead()[0]))
        let_pass(max(0.0, began + runs / BATCH / BATCHES_A_SECOND - time.perf_counter()))
    after = execute(_SIZE)[0]
    yield Figure("WAL a run, inserted to succeeded", statistics.median(wal), "B")
    yield Figure("  table, bytes a run", float(after[0] - table) / runs, "B")
    yield Figure("  indexes, bytes a run", float(after[1] - indexes) / runs, "B")
    yield Figure(
        f"  dead rows at the most, of {runs:,} runs", max(dead for _, dead in samples), "rows", "written", 3.0 * runs
    )
    yield Figure(f"  cleanings by autovacuum in {seconds:.0f} s", _dead()[1] - cleanings, "")
    yield Series("Dead rows of the run table", "seconds", "rows", {"dead": samples})


def _dead() -> tuple[float, float]:
    """Dead rows now, and cleanings so far, as the server counts them."""
    [(dead, cleanings)] = execute(_DEAD)
    return float(dead or 0), float(cleanings or 0)
