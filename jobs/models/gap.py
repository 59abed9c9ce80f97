"""Ranges of slots that did not run, with the reason."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from jobs.domain.states import GapReason
from jobs.models.fields import enum_check
from jobs.models.job import Job


class SlotGap(models.Model):
    """The slots of one job in (after, until] that did not run. ``count`` is NULL until the leader counted them."""

    job = models.ForeignKey(Job, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="gaps")
    after = models.DateTimeField(help_text="Exclusive.")
    until = models.DateTimeField(help_text="Inclusive.")
    reason = models.CharField(max_length=20, choices=[(r.value, r.value.replace("_", " ")) for r in GapReason])
    count = models.PositiveIntegerField(null=True, help_text="Slots in the range; a floor when is_capped.")
    is_capped = models.BooleanField(default=False, db_default=False)
    version = models.PositiveIntegerField(help_text="The job's definition that the slots belong to.")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "jobs_slotgap"
        verbose_name = "gap"
        verbose_name_plural = "gaps"
        constraints = [
            enum_check("gap", "reason", GapReason),
            models.CheckConstraint(name="gap_range", condition=Q(after__lt=F("until"))),
        ]
        indexes = [
            models.Index(fields=["job", "-until"], name="gap_job"),  # a job's page, explain
            models.Index(fields=["id"], name="gap_uncounted", condition=Q(count=None)),  # count_gaps
            models.Index(fields=["-until"], name="gap_recent"),  # admin's list, prune
        ]

    def __str__(self) -> str:
        return f"gap of job {self.job_id}: {self.reason}"
