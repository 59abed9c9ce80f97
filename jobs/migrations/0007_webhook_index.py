"""The index that finds the ends of runs which are not told yet."""

from typing import Any

from django.db import migrations

_PARTITIONS = "SELECT relid::regclass::text FROM pg_partition_tree('jobs_jobrun') WHERE isleaf"
# look, lock_unannounced. Not implied by the guards of keyed statements, as with the table's other partial indexes.
_INDEX = "(finished_at) WHERE webhook_id IS NOT NULL AND fanned_out_at IS NULL AND finished_at IS NOT NULL"


def _build_index(_: Any, schema_editor: Any) -> None:
    """Each partition's without a lock on its writers, then all of them as one. A partition made meanwhile has its own.

    Run again after it broke off, it goes on: an index that was not finished is made anew.
    """
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(f"CREATE INDEX IF NOT EXISTS jobrun_unannounced ON ONLY jobs_jobrun {_INDEX}")
        cursor.execute(_PARTITIONS)
        for (partition,) in cursor.fetchall():
            cursor.execute(
                "SELECT EXISTS (SELECT FROM pg_index JOIN pg_inherits ON inhrelid = indexrelid"
                " WHERE indrelid = %s::regclass AND inhparent = 'jobrun_unannounced'::regclass)",
                [partition],
            )
            if not cursor.fetchone()[0]:
                name = f"{partition}_unannounced"
                cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
                cursor.execute(f"CREATE INDEX CONCURRENTLY {name} ON {partition} {_INDEX}")
                cursor.execute(f"ALTER INDEX jobrun_unannounced ATTACH PARTITION {name}")


def _drop_index(_: Any, schema_editor: Any) -> None:
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("DROP INDEX IF EXISTS jobrun_unannounced")


class Migration(migrations.Migration):
    atomic = False  # indexes are built concurrently, which no transaction can hold

    dependencies = [("jobs", "0006_webhooks")]

    operations = [migrations.RunPython(_build_index, _drop_index)]
