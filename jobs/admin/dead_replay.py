"""Replay from the page of a group: the form, the deed, what is said about it and noted in the admin's history."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.http import HttpRequest

from jobs.admin.run_list import parse_key
from jobs.domain.masking import mask_text
from jobs.errors import CallerError
from jobs.models import DeadRun
from jobs.services.replay import LEAST_RATE, MOST, MOST_RATE, ReplayReport, replay_group, replay_selected
from jobs.store import dead
from jobs.store.dead import Window

_REASONS_SHOWN = 5


class ReplayForm(forms.Form):
    """How fast."""

    rate = forms.FloatField(
        label="Runs a second",
        initial=10,
        min_value=LEAST_RATE,
        max_value=MOST_RATE,
        widget=forms.NumberInput(attrs={"step": "any", "class": "jobs-rate"}),
    )


def replay_from_page(request: HttpRequest, group: str, window: Window, *, rate: float) -> None:
    """Replay the ticked runs, or all of the group in the window; what became of it is shown on the next page."""
    options: Any = {"rate": rate, "who": request.user.get_username()}
    keys = [key for text in request.POST.getlist("runs") if (key := parse_key(text))]
    is_all = request.POST.get("which") == "all"
    if not is_all and not keys:
        messages.warning(request, "No run is ticked.")
        return
    sample = next(iter(dead.describe([group], window, cap=1)), None)
    try:
        report = replay_group(group, since=window.since, **options) if is_all else replay_selected(keys, **options)
    except CallerError as error:
        messages.error(request, str(error))
        return
    _tell(request, report, is_all=is_all)
    _note(
        request,
        group,
        mask_text(sample.error) if sample else "",
        f"Replayed {report.replayed:,} at {rate:g} a second.",
    )


def _tell(request: HttpRequest, report: ReplayReport, *, is_all: bool) -> None:
    left = ""
    if is_all and report.left:
        left = (
            f" Still dead in this group: {'over ' if report.left >= dead.COUNT_CAP else ''}{min(report.left, MOST):,}."
        )
    level = messages.success if report.replayed else messages.warning
    level(request, f"Queued again: {report.replayed:,}.{left}")
    for reason in report.refused[:_REASONS_SHOWN]:
        messages.warning(request, reason)
    if len(report.refused) > _REASONS_SHOWN:
        messages.warning(request, f"Refused for such reasons: {len(report.refused):,} in all.")


def _note(request: HttpRequest, group: str, sample: str, done: str) -> None:
    """In the admin's history: the group stands for its runs, of which each has its own note of the replay."""
    LogEntry.objects.create(
        user_id=request.user.pk or 0,
        content_type=ContentType.objects.get_for_model(DeadRun, for_concrete_model=False),
        object_id=group,
        object_repr=sample[:200] or f"group {group}",
        action_flag=CHANGE,
        change_message=done,
    )
