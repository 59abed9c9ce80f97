"""The buttons of a job: run now, enable, pause, resume, archive. POST, CSRF, and the permission to change the job."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_http_methods, require_POST

from jobs import clock
from jobs.admin import preview, verbs
from jobs.admin.asking import Button, Question, ask
from jobs.admin.generics import ModelAdmin
from jobs.domain.schedules import parse_wall
from jobs.domain.standing import is_paused
from jobs.errors import CallerError, ConflictError, InvalidScheduleError
from jobs.models import Job
from jobs.services.pause import MAX_REASON_LENGTH
from jobs.store.clock import database_now

_VERBS = ("run", "enable", "pause", "resume", "archive")
_asks = method_decorator(require_http_methods(["GET", "POST"]))
_posts = method_decorator(require_POST)


class PauseForm(forms.Form):
    """Until when, and why."""

    until = forms.CharField(required=False, max_length=40, help_text="Empty: until it is resumed by hand.")
    reason = forms.CharField(required=False, max_length=MAX_REASON_LENGTH, widget=forms.TextInput(attrs={"size": 60}))

    def __init__(self, job: Job, *args: Any) -> None:
        super().__init__(*args)
        self.job = job
        self.fields["until"].widget.attrs["placeholder"] = "YYYY-MM-DD HH:MM"
        self.fields["until"].label = f"Until (local time of {job.timezone})"

    def clean_until(self) -> datetime | None:
        text = self.cleaned_data["until"]
        if not text:
            return None
        try:
            until = parse_wall(text, self.job.timezone, field="until")
        except InvalidScheduleError as error:
            raise forms.ValidationError(str(error)) from None
        if until <= database_now():
            raise forms.ValidationError(f"{text} is over. Choose a later time, or leave it empty.")
        return until


class JobButtonsAdmin(ModelAdmin[Job]):
    """The addresses behind the buttons, and the preview's."""

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        own = [
            path(f"<int:job_id>/{verb}/", wrap(getattr(self, f"{verb}_view")), name=f"jobs_job_{verb}")
            for verb in _VERBS
        ]
        return [path("preview/", wrap(self.preview_view), name="jobs_job_preview"), *own, *super().get_urls()]

    def buttons(self, request: HttpRequest, job: Job) -> Iterator[Button]:
        """What can be done with this job now, by this user."""
        if not self.has_change_permission(request, job):
            return
        url = {verb: reverse(f"admin:jobs_job_{verb}", args=[job.pk]) for verb in _VERBS}
        if not job.enabled:
            yield Button("Enable", url["enable"], tone="main")
        yield Button("Run now", url["run"], tone="main" if job.enabled else "")
        if is_paused(job, clock.utcnow()):
            yield Button("Resume", url["resume"])
        elif job.enabled:
            yield Button("Pause…", url["pause"], asks=True)
        yield Button("Archive…", url["archive"], asks=True, tone="grave")

    @_posts
    def preview_view(self, request: HttpRequest) -> HttpResponse:
        if not (self.has_view_permission(request) or self.has_add_permission(request)):
            raise PermissionDenied
        return preview.answer(request)

    @_posts
    def run_view(self, request: HttpRequest, job_id: int) -> HttpResponse:
        """Run it; where the job forbids a second active run, ask whether to run it even so."""
        job = self._changeable(request, job_id)
        deed = partial(verbs.run_now, job, force=request.POST.get("force") == "1")
        try:
            return self._done(request, job, deed())
        except ConflictError as error:
            return ask(request, self, job, Question(f"Run {job}?", str(error), "Run even so", hidden={"force": "1"}))
        except CallerError as error:
            return self._refused(request, job, error)

    @_posts
    def enable_view(self, request: HttpRequest, job_id: int) -> HttpResponse:
        job = self._changeable(request, job_id)
        return self._perform(request, job, partial(verbs.enable_job, job))

    @_asks
    def pause_view(self, request: HttpRequest, job_id: int) -> HttpResponse:
        job = self._changeable(request, job_id)
        form = PauseForm(job, request.POST) if request.method == "POST" else PauseForm(job)
        if form.is_valid():
            return self._perform(request, job, partial(verbs.pause_job, job, **form.cleaned_data))
        text = "Slots that come while it is paused do not run and become a gap. Runs already queued still run."
        return ask(request, self, job, Question(f"Pause {job}", text, "Pause", form))

    @_posts
    def resume_view(self, request: HttpRequest, job_id: int) -> HttpResponse:
        job = self._changeable(request, job_id)
        return self._perform(request, job, partial(verbs.resume_job, job))

    @_asks
    def archive_view(self, request: HttpRequest, job_id: int) -> HttpResponse:
        job = self._changeable(request, job_id)
        if request.method == "POST":
            return self._perform(request, job, partial(verbs.archive_job, job))
        text = "It fires no more, its queued runs are cancelled, and its name is free again. Its history is kept."
        return ask(request, self, job, Question(f"Archive {job}", text, "Archive"))

    def _changeable(self, request: HttpRequest, job_id: int) -> Job:
        job = get_object_or_404(Job, pk=job_id)
        if not self.has_change_permission(request, job):
            raise PermissionDenied
        return job

    def _perform(self, request: HttpRequest, job: Job, deed: Callable[[], str]) -> HttpResponse:
        try:
            return self._done(request, job, deed())
        except CallerError as error:
            return self._refused(request, job, error)

    def _done(self, request: HttpRequest, job: Job, sentence: str) -> HttpResponse:
        self.log_change(request, job, sentence)
        messages.success(request, sentence)
        return redirect("admin:jobs_job_change", job.pk)

    def _refused(self, request: HttpRequest, job: Job, error: CallerError) -> HttpResponse:
        messages.error(request, str(error))
        return redirect("admin:jobs_job_change", job.pk)
