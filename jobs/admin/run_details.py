"""What the page of one run shows besides the list's columns."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.contrib import admin
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from jobs.admin import formats
from jobs.admin.run_list import RunColumns
from jobs.models import JobRun

FIELDSETS: Any = [
    (None, {"fields": ["run_key", "job_of", "status_badge", "slot", "lateness", "took", "attempts_of"]}),
    ("Attempts that failed", {"fields": ["attempt_history"]}),
    ("What it got and gave", {"fields": ["payload_shown", "progress_shown", "result_shown", "log_shown"]}),
    (
        "Times",
        {
            "classes": ["collapse"],
            "fields": ["due", "run_no_sooner", "start_no_later", "sent", "started", "finished", "cancel_requested"],
        },
    ),
    (
        "Hold",
        {
            "classes": ["collapse"],
            "fields": [
                "queue",
                "priority",
                "trigger",
                "token",
                "losses",
                "locked_by",
                "locked_until_shown",
                "exclusive",
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
    """Times in the job's zone and UTC; documents indented; everything escaped."""

    due = _time("due_at", "due")
    run_no_sooner = _time("run_after", "next start not before")
    start_no_later = _time("start_by", "start not after")
    sent = _time("dispatched_at", "sent to the broker")
    started = _time("started_at", "started")
    finished = _time("finished_at", "finished")
    cancel_requested = _time("cancel_requested_at", "cancel asked for")
    locked_until_shown = _time("locked_until", "leased until")

    @admin.display(description="errors")
    def attempt_history(self, run: JobRun) -> SafeString | str:
        """Newest first; what only ``last_error`` knows, such as a missed start, stands alone."""
        entries = [{**entry, "at": _ended(entry)} for entry in reversed(run.errors or []) if isinstance(entry, dict)]
        if not entries:
            return formats.block(run.last_error)
        newest = next((entry for entry in entries if entry.get("traceback")), {})
        newest["is_open"] = True
        return SafeString(render_to_string("admin/jobs/jobrun/attempts.html", {"entries": entries}))

    @admin.display(description="payload override")
    def payload_shown(self, run: JobRun) -> SafeString | str:
        return formats.document(run.payload)

    @admin.display(description="progress")
    def progress_shown(self, run: JobRun) -> SafeString | str:
        return formats.document(run.progress)

    @admin.display(description="result")
    def result_shown(self, run: JobRun) -> SafeString | str:
        return formats.document(run.result)

    @admin.display(description="log")
    def log_shown(self, run: JobRun) -> SafeString | str:
        return formats.block(run.log)


def _ended(entry: dict[str, Any]) -> str:
    try:
        ended = datetime.fromisoformat(str(entry.get("at", "")))
    except ValueError:
        return ""
    return f"{formats.wall(ended.astimezone(UTC))} UTC"
