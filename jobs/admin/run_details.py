"""The folded parts of a run's page: all of its times, and how it is held."""

from __future__ import annotations

from typing import Any

from django.contrib import admin

from jobs.admin import formats
from jobs.admin.run_list import RunColumns
from jobs.models import JobRun

FIELDSETS: Any = [
    (
        "All times",
        {
            "classes": ["collapse"],
            "fields": [
                ("due", "run_no_sooner"),
                ("start_no_later", "sent"),
                ("started", "finished"),
                ("cancel_requested", "created"),
            ],
        },
    ),
    (
        "Queue and lease",
        {
            "classes": ["collapse"],
            "fields": [
                ("queue", "priority"),
                ("trigger", "exclusive"),
                ("token", "losses"),
                ("locked_by", "locked_until_shown"),
            ],
        },
    ),
]


def _time(column: str, description: str) -> Any:
    @admin.display(description=description)
    def shown(self: Any, run: JobRun) -> str:
        return formats.instant(getattr(run, column), run.job.timezone)

    return shown


class RunDetails(RunColumns):
    """Times in the job's zone and UTC."""

    due = _time("due_at", "due")
    run_no_sooner = _time("run_after", "next start not before")
    start_no_later = _time("start_by", "start not after")
    sent = _time("dispatched_at", "sent to the broker")
    started = _time("started_at", "last attempt started")
    finished = _time("finished_at", "finished")
    cancel_requested = _time("cancel_requested_at", "cancel asked for")
    created = _time("created_at", "made")
    locked_until_shown = _time("locked_until", "leased until")
