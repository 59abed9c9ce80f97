"""Facts of the whole installation: pruned_before, the tzdata version, the shard count."""

from __future__ import annotations

from django.db import models


class State(models.Model):
    """One fact by its name."""

    key = models.CharField(max_length=50, primary_key=True)
    value = models.JSONField()

    class Meta:
        db_table = "jobs_state"

    def __str__(self) -> str:
        return self.key
