"""The tables: migrations and partitions."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from jobs.domain.problems import of_partitions
from jobs.management.doctor.finding import Finding, fault, of_problem, ok
from jobs.services.ensure_partitions import ensure_partitions
from jobs.services.platform import partition_facts
from jobs.store.clock import database_now


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
    found = [of_problem("partitions", problem) for problem in of_partitions(partition_facts())]
    yield from found
    if not found:
        yield ok("partitions", "The run table has its partitions ahead" + (f"; made {made}." if made else "."))
