"""The list of slots that did not run."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from jobs.admin import formats, gap_words
from jobs.admin.filters import JobFilter, find_by_job_name
from jobs.admin.links import job_link
from jobs.admin.read_only import ReadOnlyAdmin
from jobs.models import SlotGap


@admin.register(SlotGap)
class SlotGapAdmin(ReadOnlyAdmin[SlotGap]):
    """Newest first, by the index on ``until``."""

    list_display = ["job_link", "after_local", "until_local", "slots", "reason_in_words"]
    list_display_links = None
    list_filter = [JobFilter, "reason"]
    list_select_related = ["job"]
    ordering = ["-until"]
    search_fields = ["job__name"]
    search_help_text = "A job's whole name."
    fields = ["job_link", "after_local", "until_local", "slots", "reason_in_words", "version", "created_at"]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[SlotGap], search_term: str
    ) -> tuple[QuerySet[SlotGap], bool]:
        term = search_term.strip()
        return (find_by_job_name(queryset, term) if term else queryset), False

    @admin.display(description="job")
    def job_link(self, gap: SlotGap) -> SafeString:
        return job_link(gap.job)

    @admin.display(description="after")
    def after_local(self, gap: SlotGap) -> str:
        return formats.instant(gap.after, gap.job.timezone)

    @admin.display(description="up to and with")
    def until_local(self, gap: SlotGap) -> str:
        return formats.instant(gap.until, gap.job.timezone)

    @admin.display(description="slots")
    def slots(self, gap: SlotGap) -> str:
        return gap_words.slots(gap)

    @admin.display(description="reason")
    def reason_in_words(self, gap: SlotGap) -> SafeString:
        return formats.lines(gap_words.reason(gap), format_html('<span class="quiet">{}</span>', gap.reason))
