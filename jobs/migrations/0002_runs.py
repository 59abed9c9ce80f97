"""The run table: partitioned, so its SQL is our own; the state tells Django what it needs to know."""

from collections.abc import Iterable
from pathlib import Path

import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import jobs.domain.states
from jobs.domain.states import ACTIVE, RunStatus, Trigger


def _words(words: Iterable[str]) -> str:
    return ", ".join(f"'{word}'" for word in sorted(words))


def _schema() -> str:
    text = Path(__file__).with_suffix(".sql").read_text()
    named = {"statuses": _words(RunStatus), "triggers": _words(Trigger), "active": _words(ACTIVE)}
    for name, words in named.items():
        text = text.replace("{" + name + "}", words)
    return text


class Migration(migrations.Migration):
    dependencies = [("jobs", "0001_initial")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    _schema(),
                    "DROP TABLE jobs_jobrun; "
                    "DROP FUNCTION jobs_ensure_partitions, jobs_missing_partitions, jobs_partitions, "
                    "jobs_create_partition, jobs_error_group;",
                )
            ],
            state_operations=[
                migrations.CreateModel(
                    name="JobRun",
                    fields=[
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        ("scheduled_for", models.DateTimeField()),
                        (
                            "trigger",
                            models.CharField(
                                choices=[
                                    ("schedule", "schedule"),
                                    ("manual", "manual"),
                                    ("api", "api"),
                                    ("dependency", "dependency"),
                                    ("backfill", "backfill"),
                                ],
                                db_default="schedule",
                                default="schedule",
                                max_length=20,
                            ),
                        ),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("queued", "queued"),
                                    ("running", "running"),
                                    ("succeeded", "succeeded"),
                                    ("dead", "dead"),
                                    ("skipped", "skipped"),
                                    ("missed", "missed"),
                                    ("cancelled", "cancelled"),
                                ],
                                db_default="queued",
                                default="queued",
                                max_length=20,
                            ),
                        ),
                        ("token", models.IntegerField(db_default=0, default=0)),
                        ("locked_by", models.UUIDField(null=True)),
                        ("locked_until", models.DateTimeField(null=True)),
                        ("attempts", models.IntegerField(db_default=0, default=0)),
                        ("max_attempts", models.IntegerField(db_default=5, default=5)),
                        ("losses", models.IntegerField(db_default=0, default=0)),
                        ("due_at", models.DateTimeField()),
                        ("start_by", models.DateTimeField(null=True)),
                        ("run_after", models.DateTimeField()),
                        ("queue", models.CharField(max_length=100)),
                        ("priority", models.SmallIntegerField(db_default=0, default=0)),
                        ("exclusive", models.BooleanField(db_default=False, default=False)),
                        ("replaces", models.DateTimeField(null=True)),
                        ("dispatched_at", models.DateTimeField(null=True)),
                        ("started_at", models.DateTimeField(null=True)),
                        ("finished_at", models.DateTimeField(null=True)),
                        ("cancel_requested_at", models.DateTimeField(null=True)),
                        ("fanned_out_at", models.DateTimeField(null=True)),
                        (
                            "created_at",
                            models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                        ),
                        ("payload", models.JSONField(null=True)),
                        ("progress", models.JSONField(null=True)),
                        ("result", models.JSONField(null=True)),
                        (
                            "errors",
                            models.JSONField(db_default=models.Value([], models.JSONField()), default=list),
                        ),
                        ("last_error", models.TextField(blank=True, db_default="", default="")),
                        ("log", models.TextField(blank=True, db_default="", default="")),
                        (
                            "error_group",
                            models.GeneratedField(
                                db_persist=True,
                                expression=models.Case(
                                    models.When(
                                        status="dead", then=models.Func("last_error", function="jobs_error_group")
                                    )
                                ),
                                output_field=models.CharField(max_length=12),
                            ),
                        ),
                        (
                            "job",
                            models.ForeignKey(
                                db_constraint=False,
                                db_index=False,
                                on_delete=django.db.models.deletion.DO_NOTHING,
                                related_name="runs",
                                to="jobs.job",
                            ),
                        ),
                    ],
                    options={
                        "verbose_name": "run",
                        "verbose_name_plural": "runs",
                        "db_table": "jobs_jobrun",
                    },
                ),
                migrations.AddConstraint(
                    model_name="jobrun",
                    constraint=models.UniqueConstraint(fields=("job", "scheduled_for"), name="jobrun_slot"),
                ),
                migrations.AddConstraint(
                    model_name="jobrun",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            (
                                "status__in",
                                ["queued", "running", "succeeded", "dead", "skipped", "missed", "cancelled"],
                            )
                        ),
                        name="jobrun_status_known",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="jobrun",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("trigger__in", ["schedule", "manual", "api", "dependency", "backfill"])),
                        name="jobrun_trigger_known",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="jobrun",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("finished_at", None),
                                (
                                    "status__in",
                                    [
                                        jobs.domain.states.RunStatus["QUEUED"],
                                        jobs.domain.states.RunStatus["RUNNING"],
                                    ],
                                ),
                            ),
                            models.Q(
                                ("finished_at__isnull", False),
                                models.Q(
                                    (
                                        "status__in",
                                        [
                                            jobs.domain.states.RunStatus["QUEUED"],
                                            jobs.domain.states.RunStatus["RUNNING"],
                                        ],
                                    ),
                                    _negated=True,
                                ),
                            ),
                            _connector="OR",
                        ),
                        name="jobrun_finished_is_terminal",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="jobrun",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("locked_by__isnull", False),
                                ("locked_until__isnull", False),
                                ("status", "running"),
                            ),
                            models.Q(
                                ("locked_by", None),
                                ("locked_until", None),
                                models.Q(("status", "running"), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="jobrun_locked_is_running",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="jobrun",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "queued"), _negated=True),
                            ("cancel_requested_at", None),
                            _connector="OR",
                        ),
                        name="jobrun_queued_not_cancelled",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="jobrun",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("priority__range", (0, 9))),
                        name="jobrun_priority_range",
                    ),
                ),
            ],
        ),
    ]
