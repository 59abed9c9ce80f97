"""Jobs and runs for tests, with only what a test cares about named."""

from __future__ import annotations

from itertools import count
from typing import Any

from jobs.models import Endpoint, Job

_numbers = count(1)


def make_job(**fields: Any) -> Job:
    """A saved job: every minute, the task ``tests.noop``, unless told otherwise."""
    fields.setdefault("name", f"job-{next(_numbers)}")
    fields.setdefault("task", "tests.noop")
    fields.setdefault("kind", "cron")
    if fields["kind"] == "cron":
        fields.setdefault("cron", "* * * * *")
    job = Job(**fields)
    job.save()
    return job


def make_endpoint(**fields: Any) -> Endpoint:
    """A saved endpoint at a public address that no test calls, unless told otherwise."""
    fields.setdefault("name", f"endpoint-{next(_numbers)}")
    fields.setdefault("url", "https://api.example.com/hook")
    endpoint = Endpoint(**fields)
    endpoint.save()
    return endpoint
