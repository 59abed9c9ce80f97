"""The index that finds the few runs which ended without having run, newest first."""

from django.db import migrations

from jobs.migrations._partition_index import partition_index

# Lists of runs by status, in the admin and in the API. No keyed statement asks for one of these statuses.
_INDEX = "(status, id) WHERE status IN ('skipped', 'missed', 'cancelled')"


class Migration(migrations.Migration):
    atomic = False  # indexes are built concurrently

    dependencies = [("jobs", "0008_allow_past")]

    operations = [partition_index("not_run", _INDEX)]
