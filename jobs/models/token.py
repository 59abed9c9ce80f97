"""Who may use the API. The token itself is shown once, when it is made; here stands its SHA-256."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Now

from jobs.domain.scopes import scopes_fault


class Token(models.Model):
    """A bearer token. With a ``team`` it sees and touches the jobs of that team alone."""

    name = models.CharField(max_length=100, help_text="Who uses it, for example: deploy pipeline.")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    hint = models.CharField(max_length=12, editable=False, help_text="How it begins, to tell it from others.")
    scopes = models.JSONField(default=list)
    # A token outlives its team as nothing: without one it would see all jobs.
    team = models.ForeignKey(Group, null=True, blank=True, on_delete=models.CASCADE, help_text="Empty: all jobs.")
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField(null=True, blank=True, help_text="Empty: never.")
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        db_table = "jobs_token"
        verbose_name = "API token"

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}…)"

    def save(self, **options: Any) -> None:
        """Validate and store."""
        self.full_clean()
        super().save(**options)

    def clean(self) -> None:
        """Refuse scopes that there are not."""
        if problem := scopes_fault(self.scopes):
            raise ValidationError({"scopes": problem})

    @property
    def owner(self) -> str:
        """Whose idempotency keys these are."""
        return f"token:{self.pk}"
