"""The API: tokens, idempotency keys, the schema of a run's parameters."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("jobs", "0004_deadletter"),
    ]

    operations = [
        migrations.AddField(
            model_name="job",
            name="parameters_schema",
            field=models.JSONField(
                blank=True,
                help_text="A JSON Schema for what a run by hand may bring: keyword arguments, or an HTTP job's body.",
                null=True,
            ),
        ),
        migrations.CreateModel(
            name="IdempotencyKey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "owner",
                    models.CharField(
                        help_text="Whose key: of a token, or of a user of a team's own view.", max_length=100
                    ),
                ),
                ("key", models.CharField(max_length=255)),
                ("fingerprint", models.CharField(help_text="SHA-256 of method, path and body.", max_length=64)),
                ("status", models.PositiveSmallIntegerField()),
                ("headers", models.JSONField(default=dict)),
                ("body", models.JSONField(null=True)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "db_table": "jobs_idempotencykey",
                "indexes": [models.Index(fields=["created_at"], name="idempotencykey_created")],
                "constraints": [models.UniqueConstraint(fields=("owner", "key"), name="idempotencykey_once")],
            },
        ),
        migrations.CreateModel(
            name="Token",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(help_text="Who uses it, for example: deploy pipeline.", max_length=100)),
                ("digest", models.CharField(editable=False, max_length=64, unique=True)),
                (
                    "hint",
                    models.CharField(editable=False, help_text="How it begins, to tell it from others.", max_length=12),
                ),
                ("scopes", models.JSONField(default=list)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                ("expires_at", models.DateTimeField(blank=True, help_text="Empty: never.", null=True)),
                ("last_used_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        help_text="Empty: all jobs.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="auth.group",
                    ),
                ),
            ],
            options={
                "verbose_name": "API token",
                "db_table": "jobs_token",
            },
        ),
    ]
