"""A once whose time has passed is due now where its maker says so: its plan begins before it."""

from django.db import migrations

_FUNCTION = """
CREATE OR REPLACE FUNCTION jobs_job_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO jobs_cursor (job_id, shard, plan_from, plan_needed)
    SELECT id, id % coalesce((SELECT (value #>> '{}')::int FROM jobs_state WHERE key = 'shards'), 1), PLAN_FROM, true
    FROM inserted ORDER BY id;
    PERFORM pg_notify('jobs_wake', '');
    RETURN NULL;
END $$;
"""
_PLAN_FROM = """
           CASE WHEN kind = 'once' AND current_setting('beatkeeper.allow_past', true) = 'on'
                THEN least(jobs_now(), once_at - interval '1 second') ELSE jobs_now() END"""


class Migration(migrations.Migration):
    dependencies = [("jobs", "0007_webhook_index")]
    operations = [
        migrations.RunSQL(
            _FUNCTION.replace("PLAN_FROM", _PLAN_FROM), reverse_sql=_FUNCTION.replace("PLAN_FROM", "jobs_now()")
        )
    ]
