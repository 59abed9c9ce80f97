"""The columns of the run list, and the words they share with the page."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.db.models.functions import Left
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from jobs import clock
from jobs.admin import formats
from jobs.admin.links import job_link
from jobs.admin.read_only import ReadOnlyAdmin
from jobs.domain.messages import RunKey
from jobs.domain.states import RunStatus, Trigger
from jobs.models import JobRun

SHOWN = ["job__name", "job__timezone", "scheduled_for", "status", "trigger", "attempts", "max_attempts"]
TIMES = ["due_at", "run_after", "started_at", "finished_at", "cancel_requested_at"]


class RunChangeList(ChangeList):
    """Reads only what the list shows: results and logs may be large."""

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        runs = super().get_queryset(request, exclude_parameters).only(*SHOWN, *TIMES)
        lean: QuerySet[Any] = runs.annotate(error_start=Left("last_error", 160))
        return lean


class RunColumns(ReadOnlyAdmin[JobRun]):
    """What the list and the page say of a run."""

    @admin.display(description="run")
    def run_and_job(self, run: JobRun) -> SafeString:
        page = reverse("admin:jobs_jobrun_change", args=[str(run.key)])
        return formats.lines(job_link(run.job), format_html('<a class="jobs-key" href="{}">{}</a>', page, run.key))

    @admin.display(description="slot")
    def slot(self, run: JobRun) -> str:
        return formats.when(run.scheduled_for, run.job.timezone, clock.utcnow())

    @admin.display(description="status")
    def status_badge(self, run: JobRun) -> SafeString:
        return status_badge(run)

    @admin.display(description="attempts")
    def attempts_of(self, run: JobRun) -> str:
        return f"{run.attempts} of {run.max_attempts}"

    @admin.display(description="late by")
    def lateness(self, run: JobRun) -> str:
        return lateness(run)

    @admin.display(description="took")
    def took(self, run: JobRun) -> str:
        return took(run)

    @admin.display(description="error")
    def error_line(self, run: JobRun) -> str:
        error: str = run.error_start  # type: ignore[attr-defined]  # the change list's annotation
        first = error.strip().partition("\n")[0]
        return f"{first[:120]}…" if len(first) > 120 else first or formats.NOTHING


def status_badge(run: JobRun) -> SafeString:
    """The status, and in small what made the run and what it waits for."""
    notes = {
        RunStatus.QUEUED: "waits for its next attempt" if run.attempts else "",
        RunStatus.RUNNING: "asked to cancel" if run.cancel_requested_at else "",
    }
    trigger = "" if run.trigger == Trigger.SCHEDULE else run.trigger
    return formats.noted(formats.badge(run.status), trigger, notes.get(RunStatus(run.status), ""))


def lateness(run: JobRun) -> str:
    """How long after it was due its first attempt started; later attempts leave no trace of that."""
    if run.started_at is None:
        overdue = clock.utcnow() - run.due_at
        waits = run.status == RunStatus.QUEUED and not run.attempts and overdue.total_seconds() > 0
        return f"waiting {formats.duration(overdue)}" if waits else formats.NOTHING
    return formats.duration(run.started_at - run.due_at) if run.attempts <= 1 else formats.NOTHING


def took(run: JobRun) -> str:
    """How long its last attempt took, or has been running."""
    if run.started_at is None:
        return formats.NOTHING
    if run.status == RunStatus.RUNNING:
        return f"{formats.duration(clock.utcnow() - run.started_at)} so far"
    return formats.duration(run.finished_at - run.started_at if run.finished_at else None)


def parse_key(text: str) -> RunKey | None:
    """The run key in a search or an address, if it is one that can be stored."""
    try:
        key = RunKey.parse(text.strip())
    except ValueError:
        return None
    return key if key.job_id < 2**63 else None
