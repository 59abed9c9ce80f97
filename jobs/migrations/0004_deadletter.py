"""Dead letters: messages of others that the broker gave up on; and dead runs as the admin lists them."""

import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0003_planning"),
    ]

    operations = [
        migrations.CreateModel(
            name="DeadRun",
            fields=[],
            options={
                "verbose_name": "dead run",
                "verbose_name_plural": "dead runs",
                "proxy": True,
                "default_permissions": (),
                "indexes": [],
                "constraints": [],
            },
            bases=("jobs.jobrun",),
        ),
        migrations.CreateModel(
            name="DeadLetter",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "received_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                (
                    "queue",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="In which it died; empty when it came straight to jobs.dead.",
                    ),
                ),
                (
                    "exchange",
                    models.TextField(
                        blank=True, db_default="", default="", help_text="To which it was first published."
                    ),
                ),
                ("routing_key", models.TextField(blank=True, db_default="", default="")),
                (
                    "reason",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="The broker's word: rejected, expired, maxlen, delivery_limit.",
                    ),
                ),
                (
                    "task",
                    models.TextField(
                        blank=True, db_default="", default="", help_text="The Celery task that it names, if any."
                    ),
                ),
                ("headers", models.JSONField(db_default=models.Value({}, models.JSONField()), default=dict)),
                ("properties", models.JSONField(db_default=models.Value({}, models.JSONField()), default=dict)),
                ("content_type", models.TextField(blank=True, db_default="", default="")),
                ("content_encoding", models.TextField(blank=True, db_default="", default="")),
                ("body", models.BinaryField()),
                ("size", models.PositiveIntegerField(help_text="Of the body, in bytes.")),
                (
                    "state",
                    models.CharField(
                        choices=[("kept", "kept"), ("sent_back", "sent back"), ("discarded", "discarded")],
                        db_default="kept",
                        default="kept",
                        max_length=20,
                    ),
                ),
                ("disposed_at", models.DateTimeField(blank=True, editable=False, null=True)),
            ],
            options={
                "verbose_name": "dead letter",
                "db_table": "jobs_deadletter",
                "indexes": [
                    models.Index(condition=models.Q(("state", "kept")), fields=["id"], name="deadletter_kept"),
                    models.Index(fields=["queue", "id"], name="deadletter_queue"),
                    models.Index(
                        condition=models.Q(("disposed_at__isnull", False)),
                        fields=["disposed_at"],
                        name="deadletter_disposed_at",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["kept", "sent_back", "discarded"])),
                        name="deadletter_state_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("disposed_at", None), ("state", "kept")),
                            models.Q(models.Q(("state", "kept"), _negated=True), ("disposed_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="deadletter_disposed",
                    ),
                ],
            },
        ),
    ]
