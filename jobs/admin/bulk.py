"""Actions on ticked jobs: the same services as the buttons, job by job."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from jobs.admin import verbs
from jobs.errors import CallerError
from jobs.models import Job

MOST = 500


@admin.action(description="Pause until resumed", permissions=["change"])
def pause_selected(modeladmin: Any, request: HttpRequest, queryset: QuerySet[Job]) -> None:
    _each(modeladmin, request, queryset, verbs.pause_job)


@admin.action(description="Resume", permissions=["change"])
def resume_selected(modeladmin: Any, request: HttpRequest, queryset: QuerySet[Job]) -> None:
    _each(modeladmin, request, queryset, verbs.resume_job)


@admin.action(description="Archive: never fire again, keep the history", permissions=["change"])
def archive_selected(modeladmin: Any, request: HttpRequest, queryset: QuerySet[Job]) -> None:
    _each(modeladmin, request, queryset, verbs.archive_job)


def _each(modeladmin: Any, request: HttpRequest, queryset: QuerySet[Job], verb: verbs.Verb) -> None:
    jobs = list(queryset.order_by("pk")[: MOST + 1])
    if len(jobs) > MOST:
        messages.error(request, f"Over {MOST} jobs are ticked. Narrow the list, or use manage.py jobs.")
        return
    done = 0
    for job in jobs:
        try:
            modeladmin.log_change(request, job, verb(job))
            done += 1
        except CallerError as error:
            messages.error(request, f"{job}: {error}")
    if done:
        messages.success(request, f"Done for {done} {'job' if done == 1 else 'jobs'}.")
