"""Filters of the list of dead letters: what waits for a decision, and one queue's."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from jobs.admin.filters import DefaultNamedFilter, Rows
from jobs.domain.letters import LetterState


class LetterStateFilter(DefaultNamedFilter):
    """The kept ones unless told otherwise."""

    title = "state"
    parameter_name = "state"
    default_name = "kept"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("sent_back", "sent back"), ("discarded", "discarded"), ("all", "all")]

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        if self.value() == "all":
            return queryset
        return queryset.filter(state=self.value() or LetterState.KEPT)


class QueueFilter(admin.SimpleListFilter):
    """By ``?queue=NAME``: shown while it is chosen, and else one of the queues of the newest letters."""

    title = "queue"
    parameter_name = "queue"
    looked_at = 500

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        newest = model_admin.get_queryset(request).order_by("-pk").values_list("queue", flat=True)[: self.looked_at]
        names = {*newest, request.GET.get(self.parameter_name, "")} - {""}
        return [(name, name) for name in sorted(names)]

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        return queryset.filter(queue=self.value()) if self.value() else queryset
