"""The columns of the job list."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from jobs import clock
from jobs.admin import formats
from jobs.admin.lists import ListAdmin
from jobs.broker.tasks import run_queue
from jobs.domain.schedules import describe
from jobs.domain.standing import JobState, Standing, standing
from jobs.errors import InvalidScheduleError
from jobs.models import Job
from jobs.store.latest_runs import LatestRun, latest_runs


class JobChangeList(ChangeList):
    """A page of jobs and, in one more statement, the newest run of each."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list: Any = list(self.result_list)
        latest = latest_runs([job.pk for job in self.result_list])
        for job in self.result_list:
            job.latest_run = latest.get(job.pk)


class JobColumns(ListAdmin[Job]):
    """What the list and the page say of a job."""

    @admin.display(description="schedule")
    def schedule(self, job: Job) -> str:
        return in_words(job)

    @admin.display(description="next slot")
    def next_slot(self, job: Job) -> str:
        return formats.instant(_standing(job).next_slot, job.timezone)

    @admin.display(description="state")
    def state(self, job: Job) -> SafeString:
        now = _standing(job)
        return formats.noted(formats.badge(now.state), pause_note(job) if now.state is JobState.PAUSED else now.note)

    @admin.display(description="queue")
    def run_queue(self, job: Job) -> str:
        return run_queue(job.queue, job.task)

    @admin.display(description="last run")
    def last_run(self, job: Job) -> SafeString | str:
        if not hasattr(job, "latest_run"):
            job.latest_run = latest_runs([job.pk]).get(job.pk)  # type: ignore[attr-defined]  # the list has it already
        run: LatestRun | None = job.latest_run  # type: ignore[attr-defined]
        if run is None:
            return formats.NOTHING
        url = reverse("admin:jobs_jobrun_change", args=[str(run.key)])
        slot = formats.instant(run.key.scheduled_for, "UTC")
        return format_html('<a href="{}">{}</a><br><span class="quiet">{}</span>', url, formats.badge(run.status), slot)


def in_words(job: Job) -> str:
    """The schedule in words; one written past every check as it stands, since the state says what is wrong."""
    try:
        return describe(job.spec)
    except InvalidScheduleError:
        return f"invalid {job.kind} {job.cron}"


def pause_note(job: Job) -> str:
    """Until when it is paused, and why."""
    until = ""
    if job.paused_until:
        until = f"until {formats.wall(formats.local_time(job.paused_until, job.timezone))} {job.timezone}"
    return ", ".join(filter(None, (until, job.pause_reason)))


def _standing(job: Job) -> Standing:
    cursor = getattr(job, "cursor", None)
    if cursor is None:
        return Standing(JobState.PARKED, note="Its row in jobs_cursor is missing: the leader does not see it.")
    return standing(job, cursor, clock.utcnow())
