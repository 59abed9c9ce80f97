"""Dead runs by their error: the groups, and the page of one with its runs and the replay of some or of all."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_POST, require_safe

from jobs.admin.dead_replay import ReplayForm, replay_from_page
from jobs.admin.dead_rows import GroupRow, RunRow
from jobs.admin.read_only import ReadOnlyAdmin
from jobs.admin.run_list import parse_key
from jobs.conf import config
from jobs.models import DeadRun
from jobs.services.replay import MOST
from jobs.store import dead
from jobs.store.clock import database_now
from jobs.store.dead import Window

_PAGE = 50
_reads = method_decorator(require_safe)
_posts = method_decorator(require_POST)


@admin.register(DeadRun)
class DeadRunAdmin(ReadOnlyAdmin[DeadRun]):
    """Addresses hold the group. Nothing counts the table: groups are stepped through, their runs counted to 10,000."""

    class Media:
        css = {"all": ["jobs/dead.css"]}

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("jobs.view_jobrun") or request.user.has_perm("jobs.change_jobrun")

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        return [
            path("", wrap(self.groups_view), name="jobs_deadrun_changelist"),
            path("<str:group>/change/", wrap(self.group_view), name="jobs_deadrun_change"),
            path("<str:group>/replay/", wrap(self.replay_view), name="jobs_deadrun_replay"),
        ]

    @_reads
    def groups_view(self, request: HttpRequest) -> HttpResponse:
        days, window = self._window(request)
        names = dead.group_names(window)
        page = Paginator(names, _PAGE).get_page(request.GET.get("p"))
        groups = [GroupRow(group) for group in dead.describe(list(page), window)]
        more = {"groups": groups, "page": page, "is_capped": len(names) >= dead.MOST_GROUPS}
        return self._rendered(request, "groups", days, title="Dead runs by their error", **more)

    @_reads
    def group_view(self, request: HttpRequest, group: str) -> HttpResponse:
        days, window = self._window(request)
        described = dead.describe([group], window)
        found = dead.dead_runs(group, window, before=parse_key(request.GET.get("before", "")))
        runs = list(found.select_related("job").defer("log", "result", "progress")[: _PAGE + 1])
        return self._rendered(
            request,
            "group",
            days,
            title="Dead runs with one error",
            group=group,
            row=GroupRow(described[0]) if described else None,
            runs=[RunRow(run) for run in runs[:_PAGE]],
            older=runs[_PAGE - 1].key if len(runs) > _PAGE else None,
            form=ReplayForm() if request.user.has_perm("jobs.change_jobrun") else None,
            most=f"{MOST:,}",
        )

    @_posts
    def replay_view(self, request: HttpRequest, group: str) -> HttpResponse:
        """Replay the ticked runs, or all of the group in the days shown."""
        if not request.user.has_perm("jobs.change_jobrun"):
            raise PermissionDenied
        days, window = self._window(request)
        form = ReplayForm(request.POST)
        if form.is_valid():
            replay_from_page(request, group, window, rate=form.cleaned_data["rate"])
        else:
            messages.error(request, f"Runs a second: {' '.join(map(str, form.errors['rate']))}")
        return redirect(f"{reverse('admin:jobs_deadrun_change', args=[group])}?days={days}")

    def _window(self, request: HttpRequest) -> tuple[int, Window]:
        asked = request.POST.get("days") or request.GET.get("days") or ""
        days = int(asked) if asked in map(str, _choices()) else dead.DEFAULT_DAYS
        return days, Window.of_days(days, now=database_now())

    def _rendered(self, request: HttpRequest, name: str, days: int, **more: Any) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "media": self.media,
            "is_nav_sidebar_enabled": False,
            "days": days,
            "choices": _choices(),
            **more,
        }
        return render(request, f"admin/jobs/dead/{name}.html", context)


def _choices() -> list[int]:
    return sorted({1, dead.DEFAULT_DAYS, config().retention_days})
