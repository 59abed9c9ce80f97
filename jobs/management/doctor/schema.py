"""The tables: migrations and partitions."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from jobs.management.doctor.finding import Finding, fault, ok, warn
from jobs.services.ensure_partitions import ensure_partitions
from jobs.store.clock import database_now
from jobs.store.installation import first_missing_day

_LEAST_DAYS_AHEAD = 2
_USUAL_DAYS_AHEAD = 7


def unapplied() -> list[str]:
    """Migrations of all apps that the database lacks."""
    executor = MigrationExecutor(connection)
    return [str(migration) for migration, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())]


def migration_finding(missing: list[str]) -> Finding:
    """Whether the tables are those of this code."""
    if missing:
        return fault("migrations", f"Not applied: {', '.join(missing[:5])}.", "Run manage.py migrate.")
    return ok("migrations", "All migrations are applied.")


def findings(*, is_mending: bool) -> Iterator[Finding]:
    """Partitions; made first when mending."""
    made = ensure_partitions(database_now()) if is_mending else 0
    first = first_missing_day()
    mend = "Beat makes them; see whether it runs. Or run manage.py doctor --fix."
    if first is not None and first < _USUAL_DAYS_AHEAD:
        level = fault if first < _LEAST_DAYS_AHEAD else warn
        when = "today" if first == 0 else f"in {first} day(s)"
        yield level(
            "partitions", f"The run table has no partition for the day {when}: its slots cannot be stored.", mend
        )
    else:
        yield ok("partitions", "The run table has its partitions ahead" + (f"; made {made}." if made else "."))
