"""Dead runs as the admin lists them: by their error. The same table as the runs'."""

from __future__ import annotations

from jobs.models.run import JobRun


class DeadRun(JobRun):
    """A run seen as one of a group with the same error."""

    class Meta:
        proxy = True
        verbose_name = "dead run"
        verbose_name_plural = "dead runs"
        default_permissions = ()  # who may see and change runs may see and replay these
