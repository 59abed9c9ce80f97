"""What was learned about each queue from the markers sent through it."""

from __future__ import annotations

from django.db import models


class Marker(models.Model):
    """One row a queue."""

    queue = models.CharField(max_length=100, primary_key=True)
    sent_at = models.DateTimeField(null=True, help_text="When the newest marker was sent.")
    returned_sent_at = models.DateTimeField(null=True, help_text="When the newest marker that came back had been sent.")
    returned_at = models.DateTimeField(null=True, help_text="When it came back: proof of a consumer.")

    class Meta:
        db_table = "jobs_marker"

    def __str__(self) -> str:
        return self.queue
