"""One slot made real. Range-partitioned by ``scheduled_for``; the migration's SQL is the table's truth."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Case, Func, Q, When

from jobs.domain.messages import RunKey
from jobs.domain.states import ACTIVE, RunStatus, Trigger
from jobs.models.endpoint import Endpoint
from jobs.models.fields import enum_check, enum_field, text
from jobs.models.job import Job

_ACTIVE = sorted(ACTIVE)


class JobRun(models.Model):
    """A run. Its identity is (job, scheduled_for); ``id`` exists for Django's admin alone and is never written."""

    id = models.BigAutoField(primary_key=True)
    job = models.ForeignKey(Job, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="runs")
    scheduled_for = models.DateTimeField()
    trigger = enum_field(Trigger, Trigger.SCHEDULE)
    status = enum_field(RunStatus, RunStatus.QUEUED)
    token = models.IntegerField(default=0, db_default=0)
    locked_by = models.UUIDField(null=True)
    locked_until = models.DateTimeField(null=True)
    attempts = models.IntegerField(default=0, db_default=0)
    max_attempts = models.IntegerField(default=5, db_default=5)
    losses = models.IntegerField(default=0, db_default=0)
    due_at = models.DateTimeField()
    start_by = models.DateTimeField(null=True)
    run_after = models.DateTimeField()
    queue = models.CharField(max_length=100)
    priority = models.SmallIntegerField(default=0, db_default=0)
    exclusive = models.BooleanField(default=False, db_default=False)
    replaces = models.DateTimeField(null=True)
    dispatched_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    cancel_requested_at = models.DateTimeField(null=True)
    fanned_out_at = models.DateTimeField(null=True)
    webhook = models.ForeignKey(
        Endpoint, null=True, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    created_at = models.DateTimeField(db_default=models.functions.Now())
    payload = models.JSONField(null=True)
    progress = models.JSONField(null=True)
    result = models.JSONField(null=True)
    errors = models.JSONField(default=list, db_default=models.Value([], models.JSONField()))
    last_error = text()
    log = text()
    # Which dead runs have the same error; NULL for all others.
    error_group = models.GeneratedField(
        expression=Case(When(status="dead", then=Func("last_error", function="jobs_error_group"))),
        output_field=models.CharField(max_length=12),
        db_persist=True,
    )

    class Meta:
        db_table = "jobs_jobrun"
        verbose_name = "run"
        verbose_name_plural = "runs"
        constraints = [
            models.UniqueConstraint(name="jobrun_slot", fields=["job", "scheduled_for"]),
            enum_check("jobrun", "status", RunStatus),
            enum_check("jobrun", "trigger", Trigger),
            models.CheckConstraint(
                name="jobrun_finished_is_terminal",
                condition=Q(finished_at=None, status__in=_ACTIVE)
                | (Q(finished_at__isnull=False) & ~Q(status__in=_ACTIVE)),
            ),
            models.CheckConstraint(
                name="jobrun_locked_is_running",
                condition=Q(locked_by__isnull=False, locked_until__isnull=False, status="running")
                | (Q(locked_by=None, locked_until=None) & ~Q(status="running")),
            ),
            models.CheckConstraint(
                name="jobrun_queued_not_cancelled",
                condition=~Q(status="queued") | Q(cancel_requested_at=None),
            ),
            models.CheckConstraint(name="jobrun_priority_range", condition=Q(priority__range=(0, 9))),
        ]

    def __str__(self) -> str:
        return str(self.key)

    def save(self, **options: Any) -> None:
        """Refused: a run changes by guarded statements only (I4)."""
        raise TypeError("A run is never saved whole; use the services, which guard each change.")

    @property
    def key(self) -> RunKey:
        """The run's public identity."""
        return RunKey(self.job_id, self.scheduled_for)
