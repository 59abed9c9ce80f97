"""The form of a new API token. What it may give away depends on who fills it in."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.timezone import get_current_timezone_name

from jobs.admin.generics import ModelForm
from jobs.domain.scopes import Scope
from jobs.models import Token
from jobs.store.clock import database_now

_MEANINGS = {
    Scope.JOBS_READ: "see jobs, runs and operations",
    Scope.JOBS_WRITE: "create, change, pause and archive jobs",
    Scope.RUNS_RUN: "run jobs; cancel and replay runs",
    Scope.ADMIN: "all of these",
}


class TokenForm(ModelForm[Token]):
    """``is_superuser``: of who makes it. Others make tokens of their own teams, and none with the scope admin."""

    is_superuser = False

    scopes = forms.MultipleChoiceField(
        choices=[(str(scope), f"{scope}: {meaning}") for scope, meaning in _MEANINGS.items()],
        widget=forms.CheckboxSelectMultiple,
        help_text="What a program may do with it.",
    )
    expires_at = forms.DateTimeField(required=False, widget=forms.DateTimeInput(attrs={"type": "datetime-local"}))

    class Meta:
        model = Token
        fields = ["name", "scopes", "team", "expires_at"]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        fields: Any = self.fields
        if "team" not in fields:  # a page that only shows
            return
        fields["expires_at"].help_text = f"Empty: never. Local time of {get_current_timezone_name()}."
        if not self.is_superuser:
            fields["scopes"].choices = [choice for choice in fields["scopes"].choices if choice[0] != Scope.ADMIN]
            fields["team"].required = True
            fields["team"].help_text = "It reaches this team's jobs alone. One for all jobs is a superuser's to make."

    def clean_expires_at(self) -> Any:
        expires_at = self.cleaned_data["expires_at"]
        if expires_at is not None and expires_at <= database_now():
            raise forms.ValidationError(f"{expires_at:%Y-%m-%d %H:%M} is over. Choose a later time, or leave it empty.")
        return expires_at
