"""The run table's partitions: make, list, examine, drop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from django.db import connection

from jobs.store.statement import Statement

_LIST = Statement("list_partitions")
_COPY = "COPY {name} TO STDOUT (FORMAT csv, HEADER)"
_EXAMINE = "SELECT coalesce(bool_or(finished_at IS NULL), false), max(finished_at) FROM {name}"
_ATTACH = "ALTER TABLE jobs_jobrun ATTACH PARTITION {name} FOR VALUES FROM (%s) TO (%s)"


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition by its table's name; ``state`` is attached, pending (a detach was cut off) or detached."""

    name: str
    state: str
    rows: int
    analyzed_rows: int

    @property
    def lower(self) -> datetime:
        """Its first instant; its name says the day or the month."""
        digits = self._digits
        return datetime(int(digits[:4]), int(digits[4:6]), int(digits[6:] or 1), tzinfo=UTC)

    @property
    def upper(self) -> datetime:
        """The first instant that is too late for it."""
        if len(self._digits) == 8:
            return self.lower + timedelta(days=1)
        return self.lower.replace(year=self.lower.year + self.lower.month // 12, month=self.lower.month % 12 + 1)

    @property
    def _digits(self) -> str:
        return self.name.removeprefix("jobs_jobrun_p")


def ensure(first: date, last: date, *, wide: bool) -> int:
    """Make the partitions for these days that are missing; returns how many."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT jobs_ensure_partitions(%s, %s, %s)", [first, last, wide])
        made: int = cursor.fetchone()[0]
    return made


def partitions() -> list[Partition]:
    """All partitions, oldest first, also those being detached or left over from a drop that was cut off."""
    return [Partition(row.name, row.state, row.rows, row.analyzed_rows) for row in _LIST.rows()]


def may_be_dropped(partition: Partition, *, finished_before: datetime) -> bool:
    """Whether no run in it is unfinished and none finished lately. Within a transaction.

    It reads the whole partition, which of a busy day takes longer than a statement of our connections may.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0")
        cursor.execute(_EXAMINE.format(name=connection.ops.quote_name(partition.name)))
        is_unfinished, finished_at = cursor.fetchone()
    return not is_unfinished and (finished_at is None or finished_at < finished_before)


def copy_rows(partition: Partition, write: Callable[[bytes], object]) -> int:
    """Write all rows as CSV with a header, piece by piece, however long that takes; returns how many rows.

    Within a transaction.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0")
        with cursor.copy(_COPY.format(name=connection.ops.quote_name(partition.name))) as copied:
            for piece in copied:
                write(bytes(piece))
        rows: int = cursor.rowcount
    return rows


def detach(partition: Partition) -> None:
    """Take the partition out while writers go on; waits for open readers. Not within a transaction."""
    how = "FINALIZE" if partition.state == "pending" else "CONCURRENTLY"
    _execute(f"ALTER TABLE jobs_jobrun DETACH PARTITION {connection.ops.quote_name(partition.name)} {how}")


def attach(partition: Partition) -> None:
    """Put a detached partition back. Its rows are not read: what it may hold is a constraint since the detach."""
    with connection.cursor() as cursor:
        name = connection.ops.quote_name(partition.name)
        cursor.execute(_ATTACH.format(name=name), [partition.lower, partition.upper])


def drop(partition: Partition) -> None:
    """Drop the table of a detached partition."""
    _execute(f"DROP TABLE {connection.ops.quote_name(partition.name)}")


def analyze(partition: Partition) -> None:
    """Give the planner statistics of the partition."""
    _execute(f"ANALYZE {connection.ops.quote_name(partition.name)}")


def _execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
