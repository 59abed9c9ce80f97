"""The line format of ``jobs preview --stdin``: one JSON question in, one answer out, never an exception."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from jobs.domain.schedules import ScheduleSpec, preview
from jobs.errors import InvalidScheduleError

MAX_COUNT = 10_000
_SHOWN_MAX = 40
_EXAMPLES: dict[str, str | int] = {
    "expr": "0 9 * * 1-5",
    "tz": "Europe/Berlin",
    "after": "2025-01-01T00:00:00+00:00",
    "count": 5,
}
_EXAMPLE = json.dumps(_EXAMPLES)


def answer(line: str) -> dict[str, Any]:
    """``{"next": [ISO, ...]}`` with the zone's offsets for ``{"expr", "tz", "after", "count"}``, or ``{"error"}``."""
    try:
        spec, after, count = _question(line)
        return {"next": [slot.local.isoformat() for slot in preview(spec, after, count)]}
    except InvalidScheduleError as error:
        return {"error": str(error)}


def _question(line: str) -> tuple[ScheduleSpec, datetime, int]:
    question = _load(line)
    for key, example in _EXAMPLES.items():
        if key not in question:
            raise InvalidScheduleError(key, f"{key} is missing. Write a line such as {_EXAMPLE}.")
        if isinstance(example, str) and not isinstance(question[key], str):
            told = f'{key} is {_shown(question[key])}; it must be a text, such as "{example}".'
            raise InvalidScheduleError(key, told)
    spec = ScheduleSpec(kind="cron", cron=question["expr"], timezone=question["tz"])
    return spec, _after(question["after"]), _count(question["count"])


def _load(line: str) -> dict[str, Any]:
    try:
        question = json.loads(line)
    except (ValueError, RecursionError) as error:
        where = f": {error.msg}, at column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        raise InvalidScheduleError("line", f"The line is not JSON{where}. Write a line such as {_EXAMPLE}.") from None
    if not isinstance(question, dict):
        told = f"The line is {_shown(question)}; it must be a JSON object, such as {_EXAMPLE}."
        raise InvalidScheduleError("line", told)
    return question


def _shown(value: object) -> str:
    """The beginning of a value, as JSON has it."""
    text = json.dumps(value)
    return text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}…"


def _after(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise InvalidScheduleError(
            "after",
            f"after {_shown(text)} is not a time. Write it in ISO 8601 with an offset, such as {_EXAMPLES['after']}.",
        ) from None


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MAX_COUNT:
        raise InvalidScheduleError(
            "count", f"count is {_shown(value)}; it must be a whole number from 1 to {MAX_COUNT:,}."
        )
    return value
