"""Reports, to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from django.contrib import admin
from django.http import HttpRequest

from scheduler_project.demo.models import Report

if TYPE_CHECKING:
    _Admin: TypeAlias = admin.ModelAdmin[Report]
else:
    _Admin = admin.ModelAdmin  # takes no type at run time


@admin.register(Report)
class ReportAdmin(_Admin):
    """Read-only: reports are written by runs alone."""

    list_display = ("run_key", "created_at")
    readonly_fields = ("run_key", "created_at", "data")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Report | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Report | None = None) -> bool:
        return False
