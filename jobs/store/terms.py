"""The leader's lock and the shard's term."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from jobs.conf import config
from jobs.errors import LeadershipLostError, ShardsDifferError
from jobs.store.statement import Statement

# The first of the two numbers of our advisory locks: "beat" in ASCII.
LOCK_SPACE = 0x62656174
_FENCE = Statement("fence_term")
_TRY_LOCK = Statement("try_leader_lock")
_BEGIN = Statement("begin_term")
_RENEW = Statement("renew_term")
_END_STALE = Statement("end_stale_leader")


@dataclass(frozen=True, slots=True)
class Term:
    """One leader's reign over a shard, on the connection that won it."""

    shard: int
    number: int

    @property
    def is_first(self) -> bool:
        """Whether this is the shard whose leader also does what belongs to no shard."""
        return self.shard == 0


def fence(term: Term) -> None:
    """Hold the term until the transaction ends; LeadershipLostError when it is no longer this connection's."""
    if not _FENCE.rows(shard=term.shard, term=term.number):
        raise LeadershipLostError(f"Term {term.number} of shard {term.shard} is over; its leader writes nothing more.")


def try_lock(shard: int) -> bool:
    """Take the shard's lock for this session; False while another session has it.

    ShardsDifferError when the jobs are divided into another number of shards than this process's.
    """
    shards = config().shards
    found = _TRY_LOCK.rows(space=LOCK_SPACE, shard=shard, shards=shards)[0]
    if found.written != shards:
        raise ShardsDifferError(shards, found.written)
    return bool(found.is_won)


def unlock(shard: int) -> None:
    """Let go of the shard's lock."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [LOCK_SPACE, shard])


def is_pooled() -> bool:
    """Whether a pooler stands between this session and its backend."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend_pid = cursor.fetchone()[0]
    return bool(backend_pid != connection.connection.info.backend_pid)


def begin(shard: int, *, holder: uuid.UUID, host: str) -> Term:
    """Write the shard's next term for this session."""
    return Term(shard, _BEGIN.rows(shard=shard, holder=holder, host=host)[0].term)


def renew(term: Term) -> bool:
    """Renew the term; False when this session has lost the lock or the term."""
    return _RENEW.run(space=LOCK_SPACE, shard=term.shard, term=term.number) == 1


def end_stale(shard: int, *, now: datetime, ttl_seconds: float) -> int | None:
    """End the backend of a leader that stopped renewing; returns its pid."""
    rows = _END_STALE.rows(space=LOCK_SPACE, shard=shard, now=now, ttl_seconds=ttl_seconds)
    return rows[0].pid if rows else None
