"""The index that finds the ends of runs which are not told yet."""

from django.db import migrations

from jobs.migrations._partition_index import partition_index

# look, lock_unannounced. Not implied by the guards of keyed statements, as with the table's other partial indexes.
_INDEX = "(finished_at) WHERE webhook_id IS NOT NULL AND fanned_out_at IS NULL AND finished_at IS NOT NULL"


class Migration(migrations.Migration):
    atomic = False  # indexes are built concurrently

    dependencies = [("jobs", "0006_webhooks")]

    operations = [partition_index("unannounced", _INDEX)]
