"""Actions on ticked rows, one by one; those on jobs are the services of the buttons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from jobs.admin import verbs
from jobs.errors import BeatkeeperError
from jobs.models import Job

T = TypeVar("T")
MOST = 500


@admin.action(description="Pause until resumed", permissions=["change"])
def pause_selected(modeladmin: Any, request: HttpRequest, queryset: QuerySet[Job]) -> None:
    for_each(modeladmin, request, ticked(queryset), verbs.pause_job, noun="job")


@admin.action(description="Resume", permissions=["change"])
def resume_selected(modeladmin: Any, request: HttpRequest, queryset: QuerySet[Job]) -> None:
    for_each(modeladmin, request, ticked(queryset), verbs.resume_job, noun="job")


@admin.action(description="Archive: never fire again, keep the history", permissions=["change"])
def archive_selected(modeladmin: Any, request: HttpRequest, queryset: QuerySet[Job]) -> None:
    for_each(modeladmin, request, ticked(queryset), verbs.archive_job, noun="job")


def for_each(
    modeladmin: Any,
    request: HttpRequest,
    rows: Sequence[T],
    deed: Callable[[T], str],
    *,
    noun: str,
    stops: bool = False,
) -> None:
    """Do it to each and say what became of it. ``stops``: the first refusal ends it."""
    if len(rows) > MOST:
        messages.error(request, f"Over {MOST} {noun}s are ticked. Narrow the list, or use manage.py jobs.")
        return
    done = 0
    for row in rows:
        try:
            modeladmin.log_change(request, row, deed(row))
            done += 1
        except BeatkeeperError as error:
            messages.error(request, f"{row}: {error}")
            if stops:
                break
    if done:
        messages.success(request, f"Done for {done} {noun}{'' if done == 1 else 's'}.")


def ticked(queryset: QuerySet[Any]) -> list[Any]:
    """The rows of an action, oldest first; one more than it takes when there are too many."""
    return list(queryset.order_by("pk")[: MOST + 1])
