"""The columns of the job list, and the sentences they share with the page."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from jobs import clock
from jobs.admin import formats
from jobs.admin.lists import ListAdmin
from jobs.admin.strip import IN_LIST, strip
from jobs.broker.tasks import run_queue
from jobs.domain.schedules import describe
from jobs.domain.standing import JobState, Standing, standing
from jobs.errors import InvalidScheduleError
from jobs.models import Job
from jobs.store.recent_runs import RecentRun, recent_runs


class JobChangeList(ChangeList):
    """A page of jobs and, in one more statement, the last runs of all of them."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list: Any = list(self.result_list)
        recent = recent_runs([job.pk for job in self.result_list], each=IN_LIST)
        for job in self.result_list:
            job.recent_runs = recent.get(job.pk, [])


class JobColumns(ListAdmin[Job]):
    """What the list says of a job."""

    @admin.display(description="schedule")
    def schedule(self, job: Job) -> str:
        return in_words(job)

    @admin.display(description="next fire")
    def next_slot(self, job: Job) -> str:
        return next_fire(job, where_it_stands(job))

    @admin.display(description="state")
    def state(self, job: Job) -> SafeString:
        return state_badge(job)

    @admin.display(description="target")
    def target(self, job: Job) -> SafeString:
        return target(job)

    @admin.display(description="last runs, newest right")
    def last_runs(self, job: Job) -> SafeString | str:
        """The strip, and below it the newest run in words."""
        runs: list[RecentRun] = job.recent_runs  # type: ignore[attr-defined]  # put there by the change list
        if not runs:
            return "no run yet"
        return formats.lines(strip(runs, job.timezone), last_run(runs[0]))


def next_fire(job: Job, standing: Standing) -> SafeString | str:
    """When it comes; a slot that has come and is not emitted yet is due."""
    now = clock.utcnow()
    shown = formats.when(standing.next_slot, job.timezone, now)
    return format_html("due {}", shown) if standing.next_slot and standing.next_slot <= now else shown


def last_run(run: RecentRun) -> SafeString:
    """The run's status and age as a link."""
    url = reverse("admin:jobs_jobrun_change", args=[str(run.key)])
    age = formats.relative(run.key.scheduled_for, clock.utcnow())
    return format_html('<a class="jobs-last-run" href="{}">{} {}</a>', url, formats.badge(run.status), age)


def target(job: Job) -> SafeString:
    """The task or endpoint, and the queue."""
    queue = format_html('<span class="quiet">{}</span>', run_queue(job.queue, job.task))
    if job.endpoint:
        return formats.lines(format_html('<span class="jobs-target">POST {}</span>', job.endpoint.name), queue)
    parts = format_html_join(SafeString(".<wbr>"), "{}", ((part,) for part in job.task.split(".")))
    return formats.lines(format_html('<span class="jobs-target">{}</span>', parts), queue)


def state_badge(job: Job) -> SafeString:
    """The state, and in small why."""
    now = where_it_stands(job)
    return formats.noted(formats.badge(now.state), pause_note(job) if now.state is JobState.PAUSED else now.note)


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


def where_it_stands(job: Job) -> Standing:
    """Its state, next slot and the reason in words."""
    cursor = getattr(job, "cursor", None)
    if cursor is None:
        return Standing(JobState.PARKED, note="Its row in jobs_cursor is missing: the leader makes it anew soon.")
    return standing(job, cursor, clock.utcnow())
