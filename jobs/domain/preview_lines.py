"""The line format of ``jobs preview --stdin``: one JSON question in, one answer out, never an exception."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from jobs.domain.schedules import ScheduleSpec, preview
from jobs.errors import InvalidScheduleError

MAX_COUNT = 10_000
_KEYS = ("expr", "tz", "after", "count")


def answer(line: str) -> dict[str, Any]:
    """``{"next": [ISO, ...]}`` with the zone's offsets for ``{"expr", "tz", "after", "count"}``, or ``{"error"}``."""
    try:
        spec, after, count = _question(line)
        return {"next": [slot.local.isoformat() for slot in preview(spec, after, count)]}
    except InvalidScheduleError as error:
        return {"error": str(error)}


def _question(line: str) -> tuple[ScheduleSpec, datetime, int]:
    question = _load(line)
    for key in _KEYS:
        if key not in question:
            raise InvalidScheduleError(key, f"{key} is missing; a line has {', '.join(_KEYS)}.")
    for key in ("expr", "tz", "after"):
        if not isinstance(question[key], str):
            raise InvalidScheduleError(key, f"{key} must be a text.")
    spec = ScheduleSpec(kind="cron", cron=question["expr"], timezone=question["tz"])
    return spec, _after(question["after"]), _count(question["count"])


def _load(line: str) -> dict[str, Any]:
    try:
        question = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidScheduleError("line", "The line is not JSON.") from None
    if not isinstance(question, dict):
        raise InvalidScheduleError("line", "The line is not a JSON object.")
    return question


def _after(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise InvalidScheduleError(
            "after", f'after "{text[:40]}" is not a time; write 2025-01-01T00:00:00+00:00.'
        ) from None


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MAX_COUNT:
        raise InvalidScheduleError("count", f"count must be a whole number from 1 to {MAX_COUNT}.")
    return value
