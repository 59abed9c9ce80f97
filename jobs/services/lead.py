"""Win, renew and lose the leadership of a shard.

PostgreSQL guarantees: a session's advisory lock is held by one session at a time and goes with it; a row's term that
someone locks FOR KEY SHARE cannot change before that transaction ends. From these:

* The leader emits on the connection that holds the lock. A new leader's term waits for emissions still open under the
  old one, and an emission that comes later finds no row of its term: it cannot commit (I6: even so, the runs' key
  would keep a slot from running twice).
* The leader dies: its connection closes and the lock is free at once. Its host freezes or is cut off: no renewal comes,
  and after the TTL a standby ends the old backend, which rolls its transaction back.
* A pooler hands one backend to many clients, and a lock taken there guards nothing: beat refuses to lead through one.
* Another number of shards is written: that ends all terms and lets none begin meanwhile. A term that begins before it
  is ended with the others; one that begins after it sees the number, once its row's lock is held.
"""

from __future__ import annotations

import socket
import uuid
from datetime import datetime

from django.db import connection, transaction

from jobs import log
from jobs.conf import config
from jobs.errors import DependencyError, LeadershipLostError, ShardsDifferError
from jobs.store import shards, terms
from jobs.store.terms import Term


def require_direct() -> None:
    """DependencyError when this connection goes through a pooler."""
    if terms.is_pooled():
        raise DependencyError(
            "Beat reaches PostgreSQL through a connection pooler, where leadership cannot be held. "
            "Give beat a DATABASE_URL that points to the server itself."
        )


def take_term(shard: int, *, holder: uuid.UUID) -> Term | None:
    """Win the shard if it is free; None while another leads.

    ShardsDifferError when the jobs are divided into another number of shards than this process's.
    """
    if not terms.try_lock(shard):
        return None
    _bound_waits()
    term = _begin(shard, holder)
    log.event("leader.elected", shard=shard, term=term.number, holder=holder)
    return term


def renew_term(term: Term) -> None:
    """Renew; LeadershipLostError when the lock or the term has gone to someone else."""
    if not terms.renew(term):
        raise LeadershipLostError(f"Term {term.number} of shard {term.shard} is over: its lock is no longer held.")


def end_silent_leader(shard: int, *, now: datetime) -> None:
    """End the session of a leader that has not renewed within the TTL; its shard is free then.

    ``now`` is the database's, as the caller has just read it and found no jump in it.
    """
    pid = terms.end_stale(shard, now=now, ttl_seconds=config().term_ttl)
    if pid is not None:
        log.warning("leader.silent_ended", shard=shard, backend_pid=pid)


def _begin(shard: int, holder: uuid.UUID) -> Term:
    try:
        with transaction.atomic():
            term = terms.begin(shard, holder=holder, host=socket.gethostname())
            shards.require_number(config().shards)
    except ShardsDifferError:
        terms.unlock(shard)
        raise
    return term


def _bound_waits() -> None:
    """What a leader leaves in the server must end soon after it: open transactions, waits for locks, statements."""
    trust = config().term_trust
    bounds = {
        "idle_in_transaction_session_timeout": trust,
        "lock_timeout": trust / 2,
        "client_connection_check_interval": 1.0,
    }
    with connection.cursor() as cursor:
        for name, seconds in bounds.items():
            cursor.execute("SELECT set_config(%s, %s, false)", [name, f"{seconds * 1000:.0f}ms"])
