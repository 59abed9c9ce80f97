"""Registered HTTP targets."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now


class Endpoint(models.Model):
    """A place that HTTP jobs may POST to."""

    name = models.CharField(max_length=100, unique=True)
    url = models.URLField(max_length=2000)
    enabled = models.BooleanField(default=True, db_default=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        db_table = "jobs_endpoint"

    def __str__(self) -> str:
        return self.name
