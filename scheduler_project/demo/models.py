"""What the demo's report job finds out, one row a run."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now


class Report(models.Model):
    """The state of the machine that a run saw. The run's key is unique: a second execution changes nothing."""

    run_key = models.CharField(max_length=60, unique=True)
    created_at = models.DateTimeField(db_default=Now(), db_index=True)  # the index: pruning
    data = models.JSONField()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"report of run {self.run_key}"
