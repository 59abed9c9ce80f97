"""Leaders and markers, as the platform wrote them."""

from __future__ import annotations

from django.contrib import admin

from jobs.admin.read_only import ReadOnlyAdmin
from jobs.models import Leader, Marker


@admin.register(Leader)
class LeaderAdmin(ReadOnlyAdmin[Leader]):
    """Which beat leads each shard."""

    list_display = ["shard", "term", "host", "backend_pid", "elected_at", "renewed_at", "ticked_at"]
    ordering = ["shard"]


@admin.register(Marker)
class MarkerAdmin(ReadOnlyAdmin[Marker]):
    """Which queues are consumed: a marker that came back is the proof."""

    list_display = ["queue", "sent_at", "returned_sent_at", "returned_at"]
    ordering = ["queue"]
