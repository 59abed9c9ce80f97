"""The demo's jobs: each shows one thing, all together every outcome, on a laptop's load."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from scheduler_project.demo.http_jobs import HTTP_JOBS
from scheduler_project.demo.task_jobs import ONE_THING_TASKS, OVERLAPS, SCHEDULES, told_from

SOURCE = "demo"

# Runs that are asked for once, when the job is made: after so long.
FIRST_RUNS: Mapping[str, timedelta] = {
    "demo.delayed": timedelta(seconds=90),
    "demo.start-deadline": timedelta(),
}


def definitions(now: datetime) -> tuple[dict[str, Any], ...]:
    """The fields of each job, laid out ``now``. HTTP jobs name their endpoint."""
    return (*ONE_THING_TASKS, *OVERLAPS, *SCHEDULES, *told_from(now.replace(microsecond=0)), *HTTP_JOBS)
