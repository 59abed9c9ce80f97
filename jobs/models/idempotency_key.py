"""Answers kept by the key that a client sent with its request, so that the same request has one effect."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now


class IdempotencyKey(models.Model):
    """Written in the transaction of the work it guards: a row stands for work that is done."""

    owner = models.CharField(max_length=100, help_text="Whose key: of a token, or of a user of a team's own view.")
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64, help_text="SHA-256 of method, path and body.")
    status = models.PositiveSmallIntegerField()
    headers = models.JSONField(default=dict)
    body = models.JSONField(null=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "jobs_idempotencykey"
        constraints = [models.UniqueConstraint(name="idempotencykey_once", fields=["owner", "key"])]
        indexes = [models.Index(fields=["created_at"], name="idempotencykey_created")]  # prune_idempotency_keys

    def __str__(self) -> str:
        return self.key
