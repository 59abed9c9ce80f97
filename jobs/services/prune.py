"""Drop what is below retention: runs by partitions, gaps, earlier definitions, dead letters. Keeps statistics fresh.

Not on the leader's connection: a detach waits for every open reader of the run table.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from django.db import transaction

from jobs import log
from jobs.conf import config
from jobs.services.answer_once import LIFETIME_HOURS
from jobs.services.archive_partition import archive_partition
from jobs.services.retention import retention_day
from jobs.store import partitions, state
from jobs.store.partitions import Partition, may_be_dropped
from jobs.store.statement import Statement

# A new partition has no statistics, and until autovacuum comes by, keyed statements are planned badly.
_ANALYZE_AT = (1_000, 10_000, 100_000)
_BATCH = 5_000

_PRUNE_GAPS = Statement("prune_gaps")
_PRUNE_VERSIONS = Statement("prune_versions")
_PRUNE_LETTERS = Statement("prune_dead_letters")
_PRUNE_KEYS = Statement("prune_idempotency_keys")
_MOST_BATCHES = 200


def prune_partitions(now: datetime) -> list[str]:
    """Drop partitions wholly below retention that hold no unfinished run and nothing finished lately.

    With ``ARCHIVE_DIR`` each is written there first; one that could not be stays and is tried again the next time.
    """
    dropped = []
    finished_before = now - timedelta(days=config().retention_days)
    for partition in partitions.partitions():
        if partition.upper <= retention_day(now) and _drop(partition, finished_before):
            dropped.append(partition.name)
            log.event("partitions.dropped", name=partition.name)
    return dropped


def prune_records(now: datetime) -> int:
    """Delete some gaps, earlier definitions and disposed dead letters from before retention; returns how many."""
    before = retention_day(now)
    statements = (_PRUNE_GAPS, _PRUNE_VERSIONS, _PRUNE_LETTERS)
    return sum(statement.run(before=before, batch=_BATCH) for statement in statements)


def prune_keys() -> int:
    """Delete the idempotency keys whose lifetime is over; returns how many. A busy API leaves many each round."""
    deleted = 0
    for _ in range(_MOST_BATCHES):
        batch = _PRUNE_KEYS.run(lifetime_hours=LIFETIME_HOURS, batch=_BATCH)
        deleted += batch
        if batch < _BATCH:
            break
    return deleted


def analyze_fresh() -> list[str]:
    """Analyze partitions that have grown past 1,000, 10,000 or 100,000 rows since they last were."""
    grown = [partition for partition in partitions.partitions() if _has_outgrown_statistics(partition)]
    for partition in grown:
        partitions.analyze(partition)
    return [partition.name for partition in grown]


def _drop(partition: Partition, finished_before: datetime) -> bool:
    """Drop it if it is over and archived. Once it is taken out nobody writes it: a run that was replayed until then is
    seen, and the day is put back (I3), also by the next round when this process dies in between."""
    if partition.state == "attached" and not _take_out(partition, finished_before):
        return False
    if partition.state == "pending":
        partitions.detach(partition)
    if not _is_over(partition, finished_before):
        partitions.attach(partition)
        return False
    if partition.state != "attached" and not _is_archived(partition):  # its rows may have changed since it was
        return False
    partitions.drop(partition)
    return True


def _take_out(partition: Partition, finished_before: datetime) -> bool:
    """Archive and detach an attached one; False where it is not over, or could not be archived."""
    if not (_is_over(partition, finished_before) and _is_archived(partition)):
        return False
    # Noted first: whatever happens on the way, no slot below it is made again (I2).
    _note_pruned(partition)
    partitions.detach(partition)
    return True


def _is_over(partition: Partition, finished_before: datetime) -> bool:
    with transaction.atomic():
        return may_be_dropped(partition, finished_before=finished_before)


def _is_archived(partition: Partition) -> bool:
    """Archive it where a folder is named; False when that failed."""
    folder = config().archive_dir
    try:
        if folder:
            archive_partition(partition, Path(folder))
    except OSError as error:
        log.error("partitions.archive_failed", name=partition.name, error=error)
        return False
    return True


def _note_pruned(partition: Partition) -> None:
    known = state.pruned_before()
    if known is None or known < partition.upper:
        state.put(state.PRUNED_BEFORE, partition.upper.isoformat())


def _has_outgrown_statistics(partition: Partition) -> bool:
    return any(partition.analyzed_rows < size <= partition.rows for size in _ANALYZE_AT)
