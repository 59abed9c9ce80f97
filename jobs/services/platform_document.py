"""The platform's status as a JSON document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from typing import Any

from jobs.domain.platform import COUNTED
from jobs.services.platform import PlatformStatus


def platform_document(status: PlatformStatus) -> dict[str, Any]:
    """With stable keys. Times are ISO 8601 in UTC, ages in seconds."""
    return {
        "status": status.status,
        "problems": [_plain(problem) for problem in status.problems],
        **_plain(status.facts),
        "counts_stop_at": COUNTED,
    }


def _plain(value: Any) -> Any:
    match value:
        case datetime():
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case Mapping():
            return {key: _plain(item) for key, item in value.items()}
        case tuple():
            return [_plain(item) for item in value]
        case _ if is_dataclass(value):
            return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
        case _:
            return value
