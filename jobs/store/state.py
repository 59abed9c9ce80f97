"""Facts of the whole installation, by name."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from jobs.models import State

PRUNED_BEFORE = "pruned_before"
TZDATA_VERSION = "tzdata_version"
SHARDS = "shards"
BROKER = "broker"


def get(key: str) -> Any:
    """The fact, or None."""
    return State.objects.filter(key=key).values_list("value", flat=True).first()


def get_many(keys: Sequence[str]) -> dict[str, Any]:
    """Those of the facts that there are."""
    return dict(State.objects.filter(key__in=keys).values_list("key", "value"))


def put(key: str, value: Any) -> None:
    """Write the fact."""
    State.objects.update_or_create(key=key, defaults={"value": value})


def pruned_before() -> datetime | None:
    """Runs below this instant are gone."""
    value = get(PRUNED_BEFORE)
    return datetime.fromisoformat(value) if value else None
