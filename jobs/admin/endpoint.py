"""Endpoints: the list, and the page with its form, its secrets and its test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib import admin, messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters

from jobs.admin.asking import Button
from jobs.admin.endpoint_delete import EndpointDeleteAdmin
from jobs.admin.endpoint_form import SECRET_VALUES, EndpointForm
from jobs.admin.endpoint_list import EndpointChangeList
from jobs.admin.endpoint_secret import EndpointSecretAdmin
from jobs.admin.endpoint_try import EndpointTryAdmin
from jobs.conf import config
from jobs.domain.endpoint import ascii_url, disabled_caution, url_caution
from jobs.domain.endpoint_url import url_fault
from jobs.models import Endpoint, Job
from jobs.targets.lookup import host_fault

_hides_secrets = method_decorator(sensitive_post_parameters(*SECRET_VALUES))


@admin.register(Endpoint)
class EndpointAdmin(EndpointTryAdmin, EndpointSecretAdmin, EndpointDeleteAdmin):
    """Secrets go in and never come out."""

    form = EndpointForm
    actions = None
    list_display = ["name", "url", "enabled", "is_signed", "used_by"]
    list_filter = ["enabled"]
    ordering = ["name"]  # its unique index
    sortable_by = ["name"]
    search_fields = ["name"]
    search_help_text = "How the name begins."
    readonly_fields = ["secret_state", "secret_headers_state", "used_by"]

    def get_fieldsets(self, request: HttpRequest, obj: Endpoint | None = None) -> Any:
        """Who may only look sees no place to enter a secret."""
        may_enter = self.has_change_permission(request, obj) if obj else self.has_add_permission(request)
        secret, headers = ([], []) if not may_enter else (_entry("secret"), _entry("secret_headers"))
        return [
            (None, {"fields": ["name", "description", "enabled"]}),
            ("Call", {"fields": ["url", "timeout_seconds", "headers"]}),
            ("Signature", {"fields": ["secret_state", *secret]}),
            ("Secret headers", {"fields": ["secret_headers_state", *headers]}),
            ("Use", {"fields": ["used_by"]}),
        ]

    def get_changelist(self, request: HttpRequest, **_: Any) -> type[EndpointChangeList]:
        return EndpointChangeList

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Endpoint], search_term: str
    ) -> tuple[QuerySet[Endpoint], bool]:
        """By prefix, for the list and for the job form's field."""
        term = search_term.strip().lower()
        return (queryset.filter(name__startswith=term) if term else queryset), False

    @transaction.non_atomic_requests
    def add_view(self, *args: Any, **options: Any) -> HttpResponse:
        """Not as a whole in a transaction, where ATOMIC_REQUESTS asks for that: hosts are looked up before it (I9)."""
        return super().add_view(*args, **options)

    @transaction.non_atomic_requests
    def change_view(self, *args: Any, **options: Any) -> HttpResponse:
        """As for :meth:`add_view`."""
        return super().change_view(*args, **options)

    @_hides_secrets
    def changeform_view(self, request: HttpRequest, object_id: str | None = None, *args: Any, **options: Any) -> Any:
        """Look the host up before Django's view opens its transaction (I9), for those who may save."""
        may_save = self.has_change_permission(request) if object_id else self.has_add_permission(request)
        if request.method == "POST" and may_save:
            request.host_fault = _host_fault(request.POST.get("url", "").strip(), object_id)  # type: ignore[attr-defined]  # for the form
        return super().changeform_view(request, object_id, *args, **options)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **options: Any) -> Any:
        form = super().get_form(request, obj, change, **options)
        return type(form.__name__, (form,), {"host_fault": getattr(request, "host_fault", "")})

    def save_model(self, request: HttpRequest, obj: Endpoint, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        request.generated_secret = form.generated  # type: ignore[attr-defined]  # for the answer to this request
        for caution in _cautions(obj):
            messages.warning(request, caution)
        if form.removes_headers:
            messages.info(request, f"{obj} has no secret headers any more: all of them were removed.")

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **options: Any) -> HttpResponse:
        endpoint = options.get("obj")
        may_try = endpoint and self.has_change_permission(request, endpoint)
        context["buttons"] = [Button("Test…", self.try_url(endpoint), asks=True)] if endpoint and may_try else []
        return super().render_change_form(request, context, *args, **options)


def _cautions(endpoint: Endpoint) -> Iterator[str]:
    """What is well-formed and yet may not be what is meant."""
    if not endpoint.enabled and Job.objects.living().filter(endpoint=endpoint).exists():
        yield disabled_caution(endpoint.name)
    if problem := url_fault(endpoint.url, allowed=config().egress_allow):
        yield f"The URL is as it was, but may not be called now: {problem}"
    if caution := url_caution(endpoint.url):
        yield caution
    if endpoint.url.lower().startswith("http:") and endpoint.sealed_headers:
        yield "Secret headers travel readable over http://. Use https:// where you can."


def _entry(name: str) -> list[str]:
    return [f"{name}_deed", f"{name}_value"]


def _host_fault(url: str, object_id: str | None) -> str:
    """What the look-up of a new URL's host finds. A URL that stays is not looked up: a resolver that is away must not
    keep anyone from disabling an endpoint."""
    allowed = config().egress_allow
    if url_fault(url, allowed=allowed):  # said by the form's own check
        return ""
    url = ascii_url(url)
    stored = Endpoint.objects.filter(pk=object_id) if object_id and object_id.isdecimal() else Endpoint.objects.none()
    return "" if stored.filter(url=url).exists() else host_fault(url, allowed=allowed)
