"""The page that shows a generated secret, once: the answer to the very POST that made it, which no cache keeps.

A redirect would need a place to carry the secret in: a message lies in a cookie or the session, an address in logs and
the browser's history. To load the page again asks whether to post again, and makes another secret.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.admin.options import IS_POPUP_VAR
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers

from jobs.admin.generics import ModelAdmin
from jobs.models import Endpoint


class EndpointSecretAdmin(ModelAdmin[Endpoint]):
    """``request.generated_secret`` is what this save has made, empty for none."""

    def response_add(self, request: HttpRequest, obj: Endpoint, post_url_continue: str | None = None) -> HttpResponse:
        usual = super().response_add
        return self._with_secret(request, obj, lambda: usual(request, obj, post_url_continue))

    def response_change(self, request: HttpRequest, obj: Endpoint) -> HttpResponse:
        usual = super().response_change
        return self._with_secret(request, obj, lambda: usual(request, obj))

    def _with_secret(self, request: HttpRequest, endpoint: Endpoint, usual: Callable[[], HttpResponse]) -> HttpResponse:
        secret = getattr(request, "generated_secret", "")
        if not secret:
            return usual()
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": endpoint,
            "title": f"The signing secret of {endpoint}",
            "secret": secret,
            "media": self.media,
            "is_popup": IS_POPUP_VAR in request.POST,
            "popup_response": _for_opener(usual()) if IS_POPUP_VAR in request.POST else "",
        }
        response = render(request, "admin/jobs/endpoint/secret.html", context)
        add_never_cache_headers(response)
        return response


def _for_opener(response: Any) -> str:
    """What Django's answer to a popup has its script tell the form that opened it, as JSON."""
    return str(response.context_data["popup_response_data"])
