"""The test of an endpoint: one call by hand, and the page that shows what was sent and what came back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_http_methods

from jobs.admin.endpoint_list import EndpointColumns
from jobs.admin.facts import Fact
from jobs.admin.fields import StrictJSONField
from jobs.conf import config
from jobs.domain.answers import Answer
from jobs.domain.http_body import STANDARD, body_fault
from jobs.domain.states import RunStatus
from jobs.errors import CallerError
from jobs.models import Endpoint
from jobs.services.try_endpoint import LONGEST_SECONDS, Trial, in_words, try_endpoint

_asks = method_decorator(require_http_methods(["GET", "POST"]))


class TryForm(forms.Form):
    """What to send; to begin with the standard body."""

    body = StrictJSONField(
        "body",
        empty=lambda: None,
        rows=8,
        help_text="JSON, with the placeholders that a job's body may have. Empty: the standard body.",
    )

    def clean_body(self) -> Any:
        body = self.cleaned_data["body"]
        if problem := body_fault(body, limit=config().payload_max):
            raise ValidationError(problem)
        return body


class EndpointTryAdmin(EndpointColumns):
    """The address behind the button. It calls out, so it needs the permission to change the endpoint, and a POST."""

    def get_urls(self) -> list[URLPattern]:
        wrapped = self.admin_site.admin_view(self.try_view)
        return [path("<int:endpoint_id>/try/", wrapped, name="jobs_endpoint_try"), *super().get_urls()]

    def try_url(self, endpoint: Endpoint) -> str:
        return reverse("admin:jobs_endpoint_try", args=[endpoint.pk])

    @transaction.non_atomic_requests
    @_asks
    def try_view(self, request: HttpRequest, endpoint_id: int) -> HttpResponse:
        """Ask for the body; on a POST call the endpoint with it, outside of any transaction (I9)."""
        endpoint = get_object_or_404(Endpoint, pk=endpoint_id)
        if not self.has_change_permission(request, endpoint):
            raise PermissionDenied
        form = TryForm(request.POST if request.method == "POST" else None, initial={"body": STANDARD})
        called = self._call(request, endpoint, form) if form.is_valid() else {}
        context = {
            **self.admin_site.each_context(request),
            **called,
            "opts": self.opts,
            "original": endpoint,
            "title": f"Test {endpoint}",
            "form": form,
            "seconds": min(endpoint.timeout_seconds, int(LONGEST_SECONDS)),
            "media": self.media,
        }
        return render(request, "admin/jobs/endpoint/try.html", context)

    def _call(self, request: HttpRequest, endpoint: Endpoint, form: TryForm) -> dict[str, Any]:
        """What the page says of the call. The history gets its outcome alone."""
        try:
            trial = try_endpoint(endpoint, form.cleaned_data["body"])
        except (CallerError, ValueError) as error:  # unreadable secrets; what raw SQL put into the tables
            return {"refused": str(error)}
        self.log_change(request, endpoint, f"Test call: {in_words(trial.result)}.")
        return {"trial": trial, **_result(trial)}


def _result(trial: Trial) -> dict[str, Any]:
    """The answer, or the failure; never both."""
    result = trial.result
    if not isinstance(result, Answer):
        return {"failure": result}
    mark = RunStatus.SUCCEEDED if 200 <= result.status < 300 else RunStatus.DEAD
    return {"answer": result, "mark": mark, "facts": list(_facts(result))}


def _facts(answer: Answer) -> Iterator[Fact]:
    yield Fact("Took", f"{answer.seconds:.3f} s")
    for label, text in (
        ("Address", answer.address),
        ("Content type", answer.content_type),
        ("Location", answer.location),
        ("Retry after", "" if answer.retry_after is None else f"{answer.retry_after:.0f} s"),
    ):
        if text:
            yield Fact(label, text)
