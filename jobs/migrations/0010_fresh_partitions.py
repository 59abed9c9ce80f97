"""A new partition has statistics and no rows, so that the planner goes by its size from the first burst on."""

from django.db import migrations

# An index that is built over deleted rows writes down that there are none, and the planner believes it whatever the
# partition's size. Of a truncated table it is not written.
_FUNCTION = """
CREATE OR REPLACE FUNCTION jobs_create_partition(name text, lower_bound timestamptz, upper_bound timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format(
        'CREATE TABLE %I (LIKE jobs_jobrun INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING CONSTRAINTS)', name);
    EXECUTE format('ALTER TABLE %I SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)', name);
    EXECUTE format(
        'INSERT INTO %I (id, job_id, scheduled_for, due_at, run_after, queue) '
        'SELECT -n, n, slot, slot, slot, ''jobs.default'' '
        'FROM generate_series(1, 500) AS n, '
        'LATERAL (SELECT %L::timestamptz + (n - 1) / 500.0 * (%L::timestamptz - %L)) AS x (slot)',
        name, lower_bound, upper_bound, lower_bound);
    EXECUTE format('ANALYZE %I', name);
    EXECUTE format('EMPTY %I', name);
    EXECUTE format('ALTER TABLE jobs_jobrun ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                   name, lower_bound, upper_bound);
END $$;
"""
# The empty partitions that stand already: looked at under the lock, so that no row is lost.
_EMPTY_ONES = """
DO $$
DECLARE
    partition regclass;
    is_empty boolean;
BEGIN
    FOR partition IN SELECT relid FROM pg_partition_tree('jobs_jobrun') JOIN pg_class ON pg_class.oid = relid
                     WHERE isleaf AND reltuples = 0 LOOP
        EXECUTE format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', partition);
        EXECUTE format('SELECT NOT EXISTS (SELECT FROM ONLY %s)', partition) INTO is_empty;
        IF is_empty THEN
            EXECUTE format('TRUNCATE ONLY %s', partition);
        END IF;
    END LOOP;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("jobs", "0009_status_index")]
    operations = [
        migrations.RunSQL(
            _FUNCTION.replace("EMPTY", "TRUNCATE"), reverse_sql=_FUNCTION.replace("EMPTY", "DELETE FROM")
        ),
        migrations.RunSQL(_EMPTY_ONES, reverse_sql=migrations.RunSQL.noop),
    ]
