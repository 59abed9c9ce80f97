"""Registered HTTP targets. Their secrets are sealed (:mod:`jobs.sealing`) and never shown again."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from jobs.conf import config
from jobs.domain import endpoint
from jobs.models.fields import text


class Endpoint(models.Model):
    """A place that HTTP jobs may POST to. ``sealed_headers`` holds a JSON object, ``sealed_secret`` the signing key."""

    name = models.CharField(
        max_length=100, unique=True, help_text="Lower-case letters, digits, dot, underscore, hyphen."
    )
    description = text()
    url = models.CharField("URL", max_length=endpoint.MAX_URL_LENGTH)
    enabled = models.BooleanField(
        default=True, db_default=True, help_text="Runs of a disabled endpoint are dead at once, and can be replayed."
    )
    timeout_seconds = models.PositiveIntegerField(
        default=30,
        db_default=30,
        validators=[MinValueValidator(1), MaxValueValidator(endpoint.MAX_TIMEOUT_SECONDS)],
        help_text="The deadline of a whole call, unless the job has its own.",
    )
    headers = models.JSONField(
        blank=True,
        default=dict,
        db_default=models.Value({}, models.JSONField()),
        help_text='Sent with each call, readable by all who see this page: {"X-Team": "billing"}',
    )
    sealed_headers = text(editable=False)
    sealed_secret = text(editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        db_table = "jobs_endpoint"
        constraints = [
            models.CheckConstraint(name="endpoint_name_form", condition=Q(name__regex=r"^[a-z0-9._-]{1,100}$")),
            models.CheckConstraint(
                name="endpoint_timeout_range", condition=Q(timeout_seconds__range=(1, endpoint.MAX_TIMEOUT_SECONDS))
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def save(self, **options: Any) -> None:
        """Validate and store."""
        self.full_clean()
        super().save(**options)

    def clean_fields(self, exclude: Collection[str] | None = None) -> None:
        """Look at what :meth:`clean` does not: its words say the value and the way out, Django's often do not."""
        super().clean_fields(exclude={*(exclude or ()), *endpoint.JUDGED})

    def clean(self) -> None:
        """Refuse what cannot work: every fault at once, by field. The host's name is then kept as IDNA writes it.

        A URL that stays as it is stays: what may be called can have changed since, and nobody must be kept from
        disabling the endpoint. Each call is judged anyway.
        """
        faults = endpoint.faults(self, allowed=config().egress_allow)
        if "url" in faults and Endpoint.objects.filter(pk=self.pk, url=self.url).exists():
            del faults["url"]
        if faults:
            raise ValidationError(faults)
        self.url = endpoint.ascii_url(self.url)
