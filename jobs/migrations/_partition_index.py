"""An index of the run table, built while its writers go on."""

from __future__ import annotations

from typing import Any

from django.db.migrations.operations import RunPython

_PARTITIONS = "SELECT relid::regclass::text FROM pg_partition_tree('jobs_jobrun') WHERE isleaf"
_IS_BUILT = """
SELECT EXISTS (SELECT FROM pg_index JOIN pg_inherits ON inhrelid = indexrelid
               WHERE indrelid = %s::regclass AND inhparent = %s::regclass)
"""


def partition_index(name: str, definition: str) -> RunPython:
    """The operation that builds ``jobrun_NAME``. The migration is not atomic: no transaction can hold such a build.

    Each partition's without a lock on its writers, then all of them as one. A partition made meanwhile has its own.
    Run again after it broke off, it goes on: an index that was not finished is made anew.
    """

    def build(_: Any, schema_editor: Any) -> None:
        with schema_editor.connection.cursor() as cursor:
            cursor.execute(f"CREATE INDEX IF NOT EXISTS jobrun_{name} ON ONLY jobs_jobrun {definition}")
            cursor.execute(_PARTITIONS)
            for (partition,) in cursor.fetchall():
                cursor.execute(_IS_BUILT, [partition, f"jobrun_{name}"])
                if not cursor.fetchone()[0]:
                    own = f"{partition}_{name}"
                    cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {own}")
                    cursor.execute(f"CREATE INDEX CONCURRENTLY {own} ON {partition} {definition}")
                    cursor.execute(f"ALTER INDEX jobrun_{name} ATTACH PARTITION {own}")

    def drop(_: Any, schema_editor: Any) -> None:
        with schema_editor.connection.cursor() as cursor:
            cursor.execute(f"DROP INDEX IF EXISTS jobrun_{name}")

    return RunPython(build, drop)
