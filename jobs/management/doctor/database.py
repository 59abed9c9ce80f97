"""The server: whether it answers, and whether it keeps what is committed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.db import connection

from jobs import clock
from jobs.management.doctor.finding import Finding, fault, ok, warn
from jobs.store.clock import database_now
from jobs.store.installation import server_facts
from jobs.store.terms import is_pooled

_OLDEST = 150_000
_MOST_SKEW = timedelta(seconds=2)


def findings() -> Iterator[Finding]:
    """Needs a connection; the caller has seen that there is one."""
    facts = server_facts()
    yield _version(facts)
    yield _pooler()
    yield _skew()
    yield from _session(facts)
    yield _durability(facts)


def _version(facts: Any) -> Finding:
    version = f"PostgreSQL {facts.version_number // 10_000}.{facts.version_number % 10_000}"
    where = f"{version} answers at {connection.settings_dict['HOST'] or 'a local socket'}."
    if facts.version_number < _OLDEST:
        return warn("database", where, "Move to PostgreSQL 15 or later: older ones were not tried.")
    return ok("database", where)


def _pooler() -> Finding:
    if is_pooled():
        return warn(
            "pooler",
            "A connection pooler stands between this process and PostgreSQL; beat refuses to lead through one.",
            "Give beat a DATABASE_URL that points to the server itself.",
        )
    return ok("pooler", "The connection is direct.")


def _skew() -> Finding:
    """Half of the question's time is taken off, since the answer was given somewhere within it."""
    asked = clock.utcnow()
    theirs = database_now()
    half = (clock.utcnow() - asked) / 2
    skew = abs(theirs - asked - half) - half
    if skew > _MOST_SKEW:
        text = f"This machine's clock is {skew.total_seconds():,.0f} s from the database's."
        return warn(
            "clock", text, "Let both follow NTP: previews and logs show this machine's time, runs the database's."
        )
    return ok("clock", "This machine's clock agrees with the database's.")


def _session(facts: Any) -> Iterator[Finding]:
    if facts.has_jit:
        yield warn(
            "jit",
            "JIT compilation is on for our connections: one bad estimate can cost minutes.",
            'Set DATABASES["default"]["OPTIONS"]["options"] to "-c jit=off", or ALTER ROLE … SET jit = off.',
        )
    if facts.isolation != "read committed":
        yield fault(
            "isolation",
            f"Transactions run as {facts.isolation}: forbid and replace would let two runs in.",
            "Set default_transaction_isolation to 'read committed' for this role.",
        )


def _durability(facts: Any) -> Finding:
    if not facts.has_fsync or facts.synchronous_commit == "off":
        what = "fsync" if not facts.has_fsync else "synchronous_commit"
        return fault("durability", f"{what} is off: a crash of the server loses committed runs.", f"Switch {what} on.")
    if facts.standbys and not facts.synchronous_standbys:
        return warn(
            "durability",
            f"{facts.standbys} standby(s) follow asynchronously: a failover loses what they had not received.",
            "Set synchronous_standby_names, or accept that a failover may lose or repeat the last runs.",
        )
    standby = "synchronous standbys too" if facts.synchronous_standbys else "no standby: a lost disk loses runs"
    return ok("durability", f"A commit is on disk ({standby}).")
