"""Filters of the lists. Each narrows by an index or by a range of time, and none lists a big table."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from jobs import clock
from jobs.domain.standing import JobState
from jobs.domain.states import RunStatus
from jobs.models import Job, JobCursor
from jobs.store.by_status import of_status

Rows = QuerySet[Any]


class DefaultNamedFilter(admin.SimpleListFilter):
    """One that narrows the list also when nothing is chosen: it says to what."""

    default_name = ""

    def choices(self, changelist: Any) -> Iterator[Any]:
        first, *others = super().choices(changelist)
        yield {**first, "display": self.default_name}
        yield from others


class StateFilter(admin.SimpleListFilter):
    """Jobs by state; archived ones only when asked for."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        shown = (JobState.ACTIVE, JobState.PAUSED, JobState.DISABLED, JobState.PARKED, JobState.ARCHIVED)
        return [(state.value, state.value) for state in shown]

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        if self.value() == JobState.ARCHIVED:
            return queryset.exclude(archived_at=None)
        parked = Q(pk__in=JobCursor.objects.exclude(error="").values("pk"))
        paused = Q(paused=True) & (Q(paused_until=None) | Q(paused_until__gt=clock.utcnow()))
        conditions = {
            JobState.ACTIVE.value: Q(enabled=True) & ~paused & ~parked,
            JobState.PAUSED.value: Q(enabled=True) & paused,
            JobState.DISABLED.value: Q(enabled=False),
            JobState.PARKED.value: Q(enabled=True) & parked,
        }
        return queryset.filter(conditions.get(self.value() or "", Q()), archived_at=None)


class StatusFilter(admin.SimpleListFilter):
    """Runs by status."""

    title = "status"
    parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(status.value, status.value) for status in RunStatus]

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        chosen = self.value()
        if chosen is None:
            return queryset
        return queryset.filter(of_status(RunStatus(chosen))) if chosen in set(RunStatus) else queryset.none()


class SinceFilter(DefaultNamedFilter):
    """Runs by their slot: two days unless told otherwise, so that a page reads few partitions."""

    title = "slot"
    parameter_name = "since"
    default_name = "last 2 days and ahead"
    spans = {"1h": timedelta(hours=1), None: timedelta(days=2), "7d": timedelta(days=7)}

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("1h", "last hour and ahead"), ("7d", "last 7 days and ahead"), ("all", "all that are kept")]

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        span = self.spans.get(self.value())
        return queryset.filter(scheduled_for__gte=clock.utcnow() - span) if span else queryset


class JobFilter(admin.SimpleListFilter):
    """Rows of one job, by ``?job=ID``: shown while it is chosen, never a list of all jobs."""

    title = "job"
    parameter_name = "job"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        chosen = request.GET.get(self.parameter_name, "")
        job = Job.objects.filter(pk=int(chosen)).first() if is_id(chosen) else None
        return [(chosen, job.name if job else f"no job {chosen}")] if chosen else []

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        chosen = self.value()
        if chosen is None:
            return queryset
        return queryset.filter(job_id=int(chosen)) if is_id(chosen) else queryset.none()


def is_id(text: str) -> bool:
    """Whether a text from outside can be a row's id."""
    return text.isascii() and text.isdigit() and len(text) <= 18


def find_by_job_name(queryset: Rows, term: str) -> Rows:
    """Rows of the jobs of exactly this name, archived ones of the name too."""
    jobs = list(Job.objects.filter(name=term.lower()).values_list("pk", flat=True)[:100])
    return queryset.filter(job_id__in=jobs)
