"""Webhooks: whom the ends of runs are told to."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("jobs", "0005_api")]

    operations = [
        migrations.AddField(
            model_name="job",
            name="webhook",
            field=models.ForeignKey(
                blank=True,
                help_text=(
                    "An endpoint that is told of the end of each run. It holds for runs that are made from now on."
                ),
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="announcing_jobs",
                to="jobs.endpoint",
            ),
        ),
        migrations.AddField(
            model_name="jobrun",
            name="webhook",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="jobs.endpoint",
            ),
        ),
    ]
