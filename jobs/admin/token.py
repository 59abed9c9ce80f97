"""API tokens: the list, a form that makes one and shows it once, and a button that revokes one.

The new token is the answer to the very POST that made it, as with an endpoint's signing secret. A token is never
edited: what it may do was promised when it was given away. Nor is it deleted: idempotency keys and history name it.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_http_methods

from jobs import clock
from jobs.admin import formats
from jobs.admin.asking import Button, Question, ask
from jobs.admin.lists import ListAdmin
from jobs.admin.token_form import TokenForm
from jobs.errors import ConflictError
from jobs.models import Token
from jobs.services.token import make_token, revoke

_asks = method_decorator(require_http_methods(["GET", "POST"]))
_TIMES = ("created_at", "expires_at", "last_used_at", "revoked_at")


@admin.register(Token)
class TokenAdmin(ListAdmin[Token]):
    """Who may add tokens gives access away: to their own teams' jobs, a superuser to all."""

    form = TokenForm
    actions = None
    list_display = ["name", "beginning", "scopes_shown", "team", "state", "expires_at", "last_used_at", "revoked_at"]
    list_select_related = ["team"]
    ordering = ["-id"]
    sortable_by = ()

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.revoke_view)
        return [path("<int:token_id>/revoke/", view, name="jobs_token_revoke"), *super().get_urls()]

    def has_change_permission(self, request: HttpRequest, obj: Token | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Token | None = None) -> bool:
        return False

    def get_fields(self, request: HttpRequest, obj: Token | None = None) -> Any:
        if obj is None:
            return TokenForm.Meta.fields
        return ["name", "beginning", "state", "scopes_shown", "team", *_TIMES]

    def get_readonly_fields(self, request: HttpRequest, obj: Token | None = None) -> Any:
        return [] if obj is None else self.get_fields(request, obj)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **options: Any) -> Any:
        if db_field.name == "team" and not _is_superuser(request):
            options["queryset"] = request.user.groups.all()
        return super().formfield_for_foreignkey(db_field, request, **options)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **options: Any) -> Any:
        form = super().get_form(request, obj, change, **options)
        return type(form.__name__, (form,), {"is_superuser": _is_superuser(request)})

    def save_model(self, request: HttpRequest, obj: Token, form: Any, change: bool) -> None:
        made = make_token(obj.name, scopes=obj.scopes, team=obj.team, expires_at=obj.expires_at)
        obj.pk, obj.hint = made.token.pk, made.token.hint
        request.made_token = made.text  # type: ignore[attr-defined]  # for the answer to this request

    def response_add(self, request: HttpRequest, obj: Token, post_url_continue: str | None = None) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": obj,
            "title": f"The token of {obj.name}",
            "token": request.made_token,  # type: ignore[attr-defined]  # see save_model
            "media": self.media,
        }
        return render(request, "admin/jobs/token/made.html", context)  # which the admin has no cache keep

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **options: Any) -> HttpResponse:
        token = options.get("obj")
        may_revoke = token and token.revoked_at is None and _may_revoke(request)
        url = reverse("admin:jobs_token_revoke", args=[token.pk]) if token else ""
        context["buttons"] = [Button("Revoke…", url, asks=True, tone="grave")] if may_revoke else []
        context |= {"show_save_and_add_another": False, "show_save_and_continue": False}
        return super().render_change_form(request, context, *args, **options)

    @_asks
    def revoke_view(self, request: HttpRequest, token_id: int) -> HttpResponse:
        """Ask, then let nobody in with it."""
        if not _may_revoke(request):
            raise PermissionDenied
        token = get_object_or_404(Token, pk=token_id)
        if request.method != "POST":
            text = "Programs that use it are refused from then on; a server that has just seen it follows in seconds."
            return ask(request, self, token, Question(f"Revoke {token}?", text, "Revoke"))
        try:
            revoke(token)
        except ConflictError as error:
            messages.error(request, str(error))
        else:
            self.log_change(request, token, "Revoked.")
            messages.success(request, f"Token {token} is revoked.")
        return redirect("admin:jobs_token_change", token.pk)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Token]:
        return super().get_queryset(request).select_related("team").defer("digest")

    @admin.display(description="begins")
    def beginning(self, token: Token) -> str:
        return f"{token.hint}…"

    @admin.display(description="scopes")
    def scopes_shown(self, token: Token) -> str:
        return ", ".join(token.scopes)

    @admin.display(description="state")
    def state(self, token: Token) -> str:
        is_over = token.expires_at is not None and token.expires_at <= clock.utcnow()
        return formats.badge("revoked" if token.revoked_at else "expired" if is_over else "active")


def _is_superuser(request: HttpRequest) -> bool:
    return bool(getattr(request.user, "is_superuser", False))


def _may_revoke(request: HttpRequest) -> bool:
    return request.user.has_perm("jobs.change_token")
