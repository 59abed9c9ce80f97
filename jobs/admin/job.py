"""Jobs: the list, and the page with its form, preview and buttons."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db import IntegrityError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from jobs.admin import bulk, preview
from jobs.admin.cautions import cautions
from jobs.admin.filters import StateFilter
from jobs.admin.job_buttons import JobButtonsAdmin
from jobs.admin.job_fieldsets import DEFINITION, looked_at
from jobs.admin.job_form import JobForm
from jobs.admin.job_list import JobChangeList, JobColumns
from jobs.admin.job_overview import overview
from jobs.models import Job


@admin.register(Job)
class JobAdmin(JobButtonsAdmin, JobColumns):
    """Jobs are archived, never deleted under their history."""

    form = JobForm
    actions = [bulk.pause_selected, bulk.resume_selected, bulk.archive_selected]
    list_display = ["name", "schedule", "next_slot", "state", "last_runs", "target"]
    list_filter = [StateFilter, "kind", "team"]
    list_select_related = ["cursor", "endpoint"]
    ordering = ["name"]  # index job_name_living
    sortable_by = ["name"]
    search_fields = ["name"]
    search_help_text = "How the name begins."
    autocomplete_fields = ["team", "endpoint", "webhook"]
    readonly_fields = ["coming_slots"]

    class Media:
        js = ["jobs/job_form.js"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Job]:
        return super().get_queryset(request).select_related("cursor", "endpoint", "webhook")

    def get_changelist(self, request: HttpRequest, **_: Any) -> type[JobChangeList]:
        return JobChangeList

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Job], search_term: str
    ) -> tuple[QuerySet[Job], bool]:
        """By prefix, as the index has it."""
        term = search_term.strip().lower()
        return (queryset.filter(name__startswith=term) if term else queryset), False

    def get_fieldsets(self, request: HttpRequest, obj: Job | None = None) -> Any:
        may_edit = obj is None or self.has_change_permission(request, obj)
        return DEFINITION if may_edit else looked_at(is_http=obj is not None and obj.endpoint_id is not None)

    def has_change_permission(self, request: HttpRequest, obj: Job | None = None) -> bool:
        return (obj is None or obj.archived_at is None) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Job | None = None) -> bool:
        return False

    def changeform_view(self, request: HttpRequest, *args: Any, **options: Any) -> HttpResponse:
        try:
            return super().changeform_view(request, *args, **options)
        except (IntegrityError, ValidationError):
            # What the form's check found good is not so any more, as when the name was taken meanwhile. Checked again,
            # that is said at the field; a fault of another kind comes again.
            return super().changeform_view(request, *args, **options)

    def save_model(self, request: HttpRequest, obj: Job, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        for caution in cautions(obj):
            messages.warning(request, caution)

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **options: Any) -> HttpResponse:
        job = options.get("obj")
        context |= {"buttons": list(self.buttons(request, job)) if job else [], "is_nav_sidebar_enabled": False}
        context["overview"] = overview(request, job) if job else None
        return super().render_change_form(request, context, *args, **options)

    @admin.display(description="next ten slots")
    def coming_slots(self, job: Job | None) -> SafeString:
        """The saved schedule's; the script keeps it level with what is typed."""
        shown = preview.panel(job.spec) if job and job.pk else "Choose a kind of schedule."
        url = reverse("admin:jobs_job_preview")
        kind = job.kind if job else ""
        return format_html(
            '<div id="schedule-preview" data-url="{}" data-kind="{}" aria-live="polite">{}</div>', url, kind, shown
        )
