"""The planning trigger and the guard of the cursor."""

from pathlib import Path

from django.db import migrations

_DROP = """
ALTER TABLE jobs_job DROP CONSTRAINT job_json_shapes;
DROP TRIGGER jobs_cursor_grows ON jobs_cursor;
DROP TRIGGER jobs_job_policy_changed ON jobs_job;
DROP TRIGGER jobs_job_changed ON jobs_job;
DROP TRIGGER jobs_job_version ON jobs_job;
DROP TRIGGER jobs_job_inserted ON jobs_job;
DROP FUNCTION jobs_cursor_grows, jobs_job_policy_changed, jobs_job_changed, jobs_job_version, jobs_job_inserted,
    jobs_now;
"""


class Migration(migrations.Migration):
    dependencies = [("jobs", "0002_runs")]

    operations = [migrations.RunSQL(Path(__file__).with_suffix(".sql").read_text(), _DROP)]
