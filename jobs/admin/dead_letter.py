"""Dead letters: messages of others from ``jobs.dead``, to be looked at, sent back, or discarded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_http_methods, require_POST

from jobs.admin import formats
from jobs.admin.asking import Button, Question, ask
from jobs.admin.bulk import MOST, for_each, ticked
from jobs.admin.dead_letter_filters import LetterStateFilter, QueueFilter
from jobs.admin.filters import is_id
from jobs.admin.read_only import ReadOnlyAdmin
from jobs.domain.letters import LetterState
from jobs.domain.masking import mask_json
from jobs.domain.preview_body import preview_body
from jobs.models import DeadLetter
from jobs.services.dispose_letter import discard, send_back
from jobs.store.letters import letters, with_body_start

_PERMISSION = "jobs.change_deadletter"
_posts = method_decorator(require_POST)
_asks = method_decorator(require_http_methods(["GET", "POST"]))
Deed = Callable[[DeadLetter], str]


@admin.register(DeadLetter)
class DeadLetterAdmin(ReadOnlyAdmin[DeadLetter]):
    """Newest first, by the primary key. The list reads no bodies, and a letter's page only the beginning of one."""

    actions = ["send_back_selected", "discard_selected"]
    list_display = ["id", "received_at", "queue", "reason", "task", "size_shown", "state_badge"]
    list_filter = [LetterStateFilter, QueueFilter]
    ordering = ["-id"]
    fields = [
        *("received_at", "state_badge", "disposed_at", "queue", "reason", "exchange", "routing_key", "task"),
        *("content_type", "content_encoding", "size_shown", "headers_shown", "properties_shown", "body_shown"),
    ]

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        return [
            path("<int:letter_id>/send-back/", wrap(self.send_back_view), name="jobs_deadletter_send_back"),
            path("<int:letter_id>/discard/", wrap(self.discard_view), name="jobs_deadletter_discard"),
            *super().get_urls(),
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[DeadLetter]:
        return letters()

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> DeadLetter | None:
        return with_body_start(letters().filter(pk=int(object_id))).first() if is_id(object_id) else None

    def has_dispose_permission(self, request: HttpRequest) -> bool:
        """By the name that actions ask for."""
        return request.user.has_perm(_PERMISSION)

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **options: Any) -> HttpResponse:
        context["buttons"] = list(self.buttons(request, options["obj"]))
        return super().render_change_form(request, context, *args, **options)

    def buttons(self, request: HttpRequest, letter: DeadLetter) -> Iterator[Button]:
        """What can be done with this letter, by this user."""
        if letter.state == LetterState.KEPT and self.has_dispose_permission(request):
            yield Button("Send back to its queue", reverse("admin:jobs_deadletter_send_back", args=[letter.pk]))
            yield Button("Discard…", reverse("admin:jobs_deadletter_discard", args=[letter.pk]), asks=True)

    @transaction.non_atomic_requests
    def changelist_view(self, *args: Any, **options: Any) -> HttpResponse:
        """Not in a transaction, where ATOMIC_REQUESTS asks for one: letters are sent back from here (I9)."""
        return super().changelist_view(*args, **options)

    @transaction.non_atomic_requests
    @_posts
    def send_back_view(self, request: HttpRequest, letter_id: int) -> HttpResponse:
        letter = self._disposable(request, letter_id)
        self._each(request, [letter], partial(_send_back, request))
        return redirect("admin:jobs_deadletter_change", letter_id)

    @_asks
    def discard_view(self, request: HttpRequest, letter_id: int) -> HttpResponse:
        letter = self._disposable(request, letter_id)
        if request.method != "POST":
            text = "It is not sent anywhere. Its row stays for the time that runs are kept, then it is gone."
            return ask(request, self, letter, Question(f"Discard {letter}?", text, "Discard"))
        self._each(request, [letter], partial(_discard, request))
        return redirect("admin:jobs_deadletter_change", letter_id)

    @admin.action(description="Send back to their queues", permissions=["dispose"])
    def send_back_selected(self, request: HttpRequest, queryset: QuerySet[DeadLetter]) -> None:
        self._each(request, ticked(queryset), partial(_send_back, request))

    @admin.action(description="Discard…", permissions=["dispose"])
    def discard_selected(self, request: HttpRequest, queryset: QuerySet[DeadLetter]) -> HttpResponse | None:
        """Asks first; the answer comes back as the same action."""
        chosen = ticked(queryset)
        if request.POST.get("sure") == "yes" or len(chosen) > MOST:
            self._each(request, chosen, partial(_discard, request))
            return None
        context = {**self.admin_site.each_context(request), "opts": self.opts, "media": self.media, "letters": chosen}
        return render(request, "admin/jobs/deadletter/discard.html", {**context, "title": "Discard dead letters?"})

    def _disposable(self, request: HttpRequest, letter_id: int) -> DeadLetter:
        if not self.has_dispose_permission(request):
            raise PermissionDenied
        return get_object_or_404(letters(), pk=letter_id)

    def _each(self, request: HttpRequest, chosen: list[DeadLetter], deed: Deed) -> None:
        """A broker that is away would be waited for each time."""
        for_each(self, request, chosen, deed, noun="dead letter", stops=True)

    @admin.display(description="size")
    def size_shown(self, letter: DeadLetter) -> str:
        return f"{letter.size:,} bytes"

    @admin.display(description="state")
    def state_badge(self, letter: DeadLetter) -> str:
        return formats.badge(letter.get_state_display())

    @admin.display(description="headers")
    def headers_shown(self, letter: DeadLetter) -> str:
        return formats.document(mask_json(letter.headers))

    @admin.display(description="properties")
    def properties_shown(self, letter: DeadLetter) -> str:
        return formats.document(mask_json(letter.properties))

    @admin.display(description="body")
    def body_shown(self, letter: DeadLetter) -> str:
        start: Any = letter.body_start  # type: ignore[attr-defined]  # annotated by get_object
        return formats.block(preview_body(bytes(start), size=letter.size, content_encoding=letter.content_encoding))


def _send_back(request: HttpRequest, letter: DeadLetter) -> str:
    return f"Sent back to {send_back(letter.pk, who=request.user.get_username())}."


def _discard(request: HttpRequest, letter: DeadLetter) -> str:
    discard(letter.pk, who=request.user.get_username())
    return "Discarded."
