"""Lists of what the platform itself writes: looked at, never edited here."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from jobs.admin.lists import ListAdmin, M


class ReadOnlyAdmin(ListAdmin[M]):
    """No add, no edit, no delete."""

    actions: Any = None
    sortable_by = ()

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
