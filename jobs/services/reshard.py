"""Divide the jobs into another number of shards, while beats live.

First the number is written and every term ends, in one transaction: emissions that are open commit before it, and no
later one of the old leaders can. Beats that have the old number stand by from then on, those with the new one lead.
Then the cursors move, a stretch a transaction. In the meantime each is in one shard, wherever that is, so that one
leader emits it; only what is still in a shard above the new number waits. Which shard a cursor is in decides who
emits it, never whether a slot has been emitted: that is the cursor's own ``last_slot``, under the cursor's lock.

A job that was inserted by a transaction which had read the old number stands in the wrong shard, and so does one whose
cursor someone held: a second pass, after the transactions that were open have ended, takes them along. What is left
even then, or when this process dies on the way, the leader of shard 0 moves with its housekeeping.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import NamedTuple

from django.db import OperationalError, connection, transaction
from psycopg.errors import LockNotAvailable

from jobs import log
from jobs.clock import monotonic
from jobs.conf import MOST_SHARDS, config
from jobs.errors import DependencyError, InvalidFieldError
from jobs.store import shards as table

BATCH = 10_000
PATIENCE_SECONDS = 5.0
_ASK_AGAIN_SECONDS = 0.1
_TERMS_HELD = (
    "Nothing was changed: the leaders' terms could not be ended within {:g} s, since a transaction holds a row of "
    "jobs_leader. Try again; if it stays so, find that transaction in pg_stat_activity and end it."
)


@dataclass(frozen=True, slots=True)
class Resharded:
    """What was done. Not ``is_complete``: someone holds a cursor, or has yet to commit a job of the old number."""

    before: int
    shards: int
    moved: int
    is_complete: bool


class _Moved(NamedTuple):
    """How many cursors were moved, and how many could not be, since someone holds them."""

    moved: int
    held: int


def reshard(shards: int) -> Resharded:
    """Write the number and move every cursor; with the same number, finish what was cut off.

    InvalidFieldError for a number that cannot be; DependencyError when an emission does not come to its end.
    """
    if not 1 <= shards <= MOST_SHARDS:
        raise InvalidFieldError("shards", f"{shards} is no number of shards: choose one from 1 to {MOST_SHARDS}.")
    before = _write(shards)
    writers = table.writers()
    first = _move()
    is_quiet = _have_ended(writers)
    second = _move()
    return Resharded(before, shards, first.moved + second.moved, is_complete=is_quiet and not second.held)


def move_cursors() -> int:
    """Put all cursors into the shards that the number gives their jobs; returns how many moved."""
    return _move().moved


def move_stranded() -> int:
    """Move cursors only when some stand in a shard that nobody leads; returns how many moved."""
    return move_cursors() if table.has_cursors_beyond(table.written_number()) else 0


def _write(shards: int) -> int:
    """Write the number, and end all terms when it is another one; returns the one before."""
    if table.written_number() == shards:
        return shards
    try:
        with transaction.atomic():
            _bound_waits()
            table.end_terms()
            before = table.written_number()
            table.write_number(shards)
    except OperationalError as error:
        if isinstance(error.__cause__, LockNotAvailable):
            raise DependencyError(_TERMS_HELD.format(config().term_ttl)) from error
        raise
    log.event("shards.changed", before=before, shards=shards)
    return before


def _bound_waits() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{config().term_ttl * 1000:.0f}ms"])


def _move() -> _Moved:
    moved = held = 0
    last_job: int | None = 0
    while last_job is not None:
        stretch = table.move(after_job=last_job, batch=BATCH)
        last_job, moved, held = stretch.last_job, moved + stretch.moved, held + stretch.held
    if moved:
        log.event("cursors.moved", cursors=moved, shards=table.written_number())
    return _Moved(moved, held)


def _have_ended(transactions: set[str]) -> bool:
    """Wait for their ends; False when one is still open after a while."""
    deadline = monotonic() + PATIENCE_SECONDS
    pause = threading.Event()
    while (are_open := bool(transactions & table.writers())) and monotonic() < deadline:
        pause.wait(_ASK_AGAIN_SECONDS)
    return not are_open
