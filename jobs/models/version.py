"""Earlier definitions, written by the planning trigger."""

from __future__ import annotations

from django.db import models

from jobs.models.job import Job


class JobVersion(models.Model):
    """The job's row as it was in (valid_from, valid_to]."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, db_index=False, related_name="versions")
    version = models.PositiveIntegerField()
    definition = models.JSONField()
    valid_from = models.DateTimeField()
    valid_to = models.DateTimeField()

    class Meta:
        db_table = "jobs_jobversion"
        constraints = [models.UniqueConstraint(name="jobversion_number", fields=["job", "version"])]

    def __str__(self) -> str:
        return f"job {self.job_id}, version {self.version}"
