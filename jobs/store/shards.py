"""How many shards there are, who leads each, and which cursors are in them. Transactions are the callers'."""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.db.models import Max

from jobs.errors import ShardsDifferError
from jobs.models import JobCursor
from jobs.store import state
from jobs.store.statement import Statement
from jobs.store.terms import LOCK_SPACE

# The first number of the locks of beats that take their share of several shards: "crew" in ASCII.
_BEATS_SPACE = 0x63726577
_WRITERS = """
    SELECT virtualtransaction FROM pg_locks
    WHERE relation = 'jobs_cursor'::regclass AND mode = 'RowExclusiveLock' AND pid <> pg_backend_pid()
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
_WATCH = Statement("watch_shards")
_END_TERMS = Statement("end_terms")
_MOVE = Statement("move_cursors")


def written_number() -> int:
    """The number of shards that the cursors are divided into."""
    number: int = state.get(state.SHARDS) or 1
    return number


def require_number(here: int) -> None:
    """ShardsDifferError when another number is written."""
    written = written_number()
    if written != here:
        raise ShardsDifferError(here, written)


def write_number(shards: int) -> None:
    """Divide the jobs into so many from now on; the cursors of jobs that there are stay where they stand."""
    state.put(state.SHARDS, shards)


def end_terms() -> int:
    """End every term, and let none begin before the transaction ends; returns how many shards ever had one."""
    with connection.cursor() as cursor:
        # Terms that begin or are renewed just now come first; emissions go on until their row's turn has come.
        cursor.execute("LOCK TABLE jobs_leader IN SHARE ROW EXCLUSIVE MODE")
    return _END_TERMS.run()


def move(*, after_job: int, batch: int) -> Any:
    """Put the next stretch of cursors into their shards; one row: last_job, None at the end, moved, held."""
    return _MOVE.rows(after_job=after_job, batch=batch)[0]


def has_cursors_beyond(shards: int) -> bool:
    """Whether there are cursors in shards that nobody leads when there are so many."""
    # The highest one is the last entry of an index; whether one is beyond a bound the planner may read the table for.
    highest: int | None = JobCursor.objects.aggregate(highest=Max("shard"))["highest"]
    return highest is not None and highest >= shards


def writers() -> set[str]:
    """The open transactions that have written cursors, such as those of new jobs."""
    with connection.cursor() as cursor:
        cursor.execute(_WRITERS)
        return {name for (name,) in cursor.fetchall()}


def attend(shards: int) -> None:
    """Be counted among the beats for so many shards while this session lasts and :func:`watch` is called in it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock_shared(%s, %s)", [_BEATS_SPACE, shards])


def watch(shards: int, *, ttl_seconds: float, present_seconds: float) -> list[Any]:
    """A row a shard, in order; the statement's header names the columns."""
    return _WATCH.rows(
        space=LOCK_SPACE,
        beats_space=_BEATS_SPACE,
        shards=shards,
        ttl_seconds=ttl_seconds,
        present_seconds=present_seconds,
    )
