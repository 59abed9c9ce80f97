"""Where each job stands. Written by the leader, the planning trigger and the resume service alone."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from jobs.models.constraints import instants_in_range
from jobs.models.fields import text
from jobs.models.job import Job


class JobCursor(models.Model):
    """One row a job, made by the planning trigger."""

    job = models.OneToOneField(Job, primary_key=True, on_delete=models.CASCADE, related_name="cursor")
    shard = models.PositiveSmallIntegerField(default=0, db_default=0)
    next_run_at = models.DateTimeField(
        null=True, help_text="When the leader looks at this job next; finds the row only."
    )
    last_slot = models.DateTimeField(
        null=True, help_text="The last slot accounted for; a trigger keeps it from going back."
    )
    plan_from = models.DateTimeField(help_text="Slots up to this instant are no business of this definition.")
    plan_needed = models.BooleanField(default=True, db_default=True)
    error = text(help_text="Why the job is parked; empty when it is not.")
    error_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "jobs_cursor"
        constraints = [instants_in_range("cursor_instants", "next_run_at", "last_slot", "plan_from")]
        indexes = [
            models.Index(fields=["shard", "next_run_at"], name="cursor_due"),  # emit: due cursors in order
            models.Index(fields=["shard", "job"], name="cursor_plan", condition=Q(plan_needed=True)),  # plan
            models.Index(fields=["job"], name="cursor_parked", condition=~Q(error="")),  # admin's filter, doctor
        ]

    def __str__(self) -> str:
        return f"cursor of job {self.pk}"
