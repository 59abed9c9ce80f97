"""Messages from ``jobs.dead`` that are no runs: kept whole until someone sends them back or discards them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from jobs.domain.letters import LetterState
from jobs.models.fields import enum_check, enum_field, text


class DeadLetter(models.Model):
    """A message of someone else that the broker gave up on. Headers and properties: :mod:`jobs.domain.wire_json`."""

    received_at = models.DateTimeField(db_default=Now(), editable=False)
    queue = text(help_text="In which it died; empty when it came straight to jobs.dead.")
    exchange = text(help_text="To which it was first published.")
    routing_key = text()
    reason = text(help_text="The broker's word: rejected, expired, maxlen, delivery_limit.")
    task = text(help_text="The Celery task that it names, if any.")
    headers = models.JSONField(default=dict, db_default=models.Value({}, models.JSONField()))
    properties = models.JSONField(default=dict, db_default=models.Value({}, models.JSONField()))
    content_type = text()
    content_encoding = text()
    body = models.BinaryField()
    size = models.PositiveIntegerField(help_text="Of the body, in bytes.")
    state = enum_field(LetterState, LetterState.KEPT)
    disposed_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        db_table = "jobs_deadletter"
        verbose_name = "dead letter"
        constraints = [
            enum_check("deadletter", "state", LetterState),
            models.CheckConstraint(
                name="deadletter_disposed",
                condition=Q(state="kept", disposed_at=None) | (~Q(state="kept") & Q(disposed_at__isnull=False)),
            ),
        ]
        indexes = [
            models.Index(fields=["id"], name="deadletter_kept", condition=Q(state="kept")),  # doctor, list of the kept
            models.Index(fields=["queue", "id"], name="deadletter_queue"),  # the list's filter by queue
            # prune_dead_letters
            models.Index(fields=["disposed_at"], name="deadletter_disposed_at", condition=Q(disposed_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"dead letter {self.pk}"
