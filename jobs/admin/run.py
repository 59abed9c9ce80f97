"""Runs: the list, and the page with the history of attempts and the buttons. Nothing is edited."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_POST

from jobs.admin import verbs
from jobs.admin.asking import Button
from jobs.admin.filters import JobFilter, SinceFilter, StatusFilter, find_by_job_name, is_id
from jobs.admin.run_details import FIELDSETS, RunDetails
from jobs.admin.run_list import RunChangeList, parse_key
from jobs.admin.run_page import page
from jobs.domain.states import ACTIVE, RunStatus
from jobs.errors import CallerError
from jobs.models import JobRun

_VERBS: dict[str, Callable[..., str]] = {"replay": verbs.replay_run, "cancel": verbs.cancel_run}
_posts = method_decorator(require_POST)


@admin.register(JobRun)
class JobRunAdmin(RunDetails):
    """Addresses hold the run key. Ordered by the primary key, or within a job by its slots: both are indexes."""

    list_display = ["run_and_job", "slot", "status_badge", "attempts_of", "lateness", "took", "error_line"]
    list_display_links = None
    list_filter = [StatusFilter, SinceFilter, JobFilter]
    list_select_related = ["job"]
    search_fields = ["job__name"]
    search_help_text = "A run key, or a job's whole name."
    fieldsets = FIELDSETS

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        own = [
            path(f"<str:run_key>/{verb}/", wrap(self.act), {"verb": verb}, name=f"jobs_jobrun_{verb}")
            for verb in _VERBS
        ]
        return [*own, *super().get_urls()]

    def get_changelist(self, request: HttpRequest, **_: Any) -> type[RunChangeList]:
        return RunChangeList

    def get_ordering(self, request: HttpRequest) -> Any:
        return ["-scheduled_for"] if request.GET.get("job") else ["-id"]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[JobRun], search_term: str
    ) -> tuple[QuerySet[JobRun], bool]:
        if key := parse_key(search_term):  # wherever its slot is, whatever the filters say
            found = JobRun.objects.filter(job_id=key.job_id, scheduled_for=key.scheduled_for)
            return found.select_related("job").order_by("-id"), False
        term = search_term.strip()
        return (find_by_job_name(queryset, term) if term else queryset), False

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> JobRun | None:
        runs = JobRun.objects.select_related("job__endpoint")
        if key := parse_key(object_id):
            return runs.filter(job_id=key.job_id, scheduled_for=key.scheduled_for).first()
        return runs.filter(pk=int(object_id)).first() if is_id(object_id) else None

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **options: Any) -> HttpResponse:
        run = options["obj"]
        context |= {"buttons": list(self.buttons(request, run)), "page": page(run), "is_nav_sidebar_enabled": False}
        return super().render_change_form(request, context, *args, **options)

    def buttons(self, request: HttpRequest, run: JobRun) -> Iterator[Button]:
        """What can be done with this run now, by this user."""
        if not request.user.has_perm("jobs.change_jobrun"):
            return
        if run.status == RunStatus.DEAD:
            yield Button("Replay", reverse("admin:jobs_jobrun_replay", args=[str(run.key)]), tone="main")
        if run.status in ACTIVE and run.cancel_requested_at is None:
            yield Button("Cancel", reverse("admin:jobs_jobrun_cancel", args=[str(run.key)]), tone="grave")

    @_posts
    def act(self, request: HttpRequest, run_key: str, verb: str) -> HttpResponse:
        """Do what a button says."""
        if not request.user.has_perm("jobs.change_jobrun"):
            raise PermissionDenied
        run = self.get_object(request, run_key)
        if run is None:
            raise Http404(f"There is no run {run_key}.")
        try:
            done = _VERBS[verb](run, who=request.user.get_username())
        except CallerError as error:
            messages.error(request, str(error))
        else:
            self.log_change(request, run, done)
            messages.success(request, done)
        return redirect("admin:jobs_jobrun_change", str(run.key))
