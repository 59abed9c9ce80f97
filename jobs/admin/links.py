"""Links between the pages."""

from __future__ import annotations

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from jobs.models import Job


def job_link(job: Job) -> SafeString:
    """A link to the job's page."""
    return format_html('<a href="{}">{}</a>', reverse("admin:jobs_job_change", args=[job.pk]), job.name)
