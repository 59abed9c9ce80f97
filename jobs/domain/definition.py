"""What a job's definition must be, whatever path writes it: every fault by field, in words that say the way out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from typing import Any, Protocol

from jobs.domain.built_in import built_in_faults
from jobs.domain.json_value import json_fault, text_fault
from jobs.domain.limits import RANGES, WORDS, limit_faults
from jobs.domain.parameters import schema_fault
from jobs.domain.schedules import ScheduleSpec, build
from jobs.domain.target import target_faults
from jobs.errors import InvalidScheduleError

NAME = re.compile(r"[a-z0-9._-]{1,100}")
MAX_LABELS_BYTES = 4096
Faults = Iterator[tuple[str, str]]

_TEXTS = ("name", "kind", "cron", "calendar_unit", "timezone", "task", "queue")
_TYPES: dict[str, type] = {
    "interval_seconds": int,
    "calendar_every": int,
    "anchor_at": datetime,
    "anchor_date": date,
    "wall_time": time,
    "once_at": datetime,
    "start_at": datetime,
    "end_at": datetime,
}
# What Django would cut down to a whole number without a word.
WHOLE_NUMBERS = tuple(field for field, type_ in _TYPES.items() if type_ is int)
# Fields of which every fault is found here, so that nobody else need look at them.
JUDGED = frozenset(
    {
        *_TEXTS,
        *RANGES,
        *WORDS,
        "args",
        "kwargs",
        "labels",
        "endpoint",
        "webhook",
        "body",
        "headers",
        "parameters_schema",
    }
)


class Definition(Protocol):
    """What is looked at; a ``Job`` fits."""

    name: str
    description: str
    labels: Any
    task: str
    args: Any
    kwargs: Any
    endpoint_id: int | None
    body: Any
    headers: Any
    parameters_schema: Any
    queue: str
    paused: bool
    paused_until: Any
    pause_reason: str
    timeout_seconds: int | None
    soft_timeout_seconds: int | None
    backoff_base_seconds: float
    backoff_cap_seconds: float
    source: str
    kind: str
    enabled: bool
    webhook_id: int | None
    team_id: int | None
    delivery: str
    concurrency_policy: str

    @property
    def spec(self) -> ScheduleSpec: ...


def faults(job: Definition, *, queues: Sequence[str], payload_max: int) -> dict[str, str]:
    """The first fault of each field; empty when the definition can work. ``payload_max`` in bytes of JSON."""
    found = dict(_text_faults(job))
    # What is no text cannot be looked at any further.
    for field, message in () if found else _faults(job, queues, payload_max):
        found.setdefault(field, message)
    return found


def name_fault(name: str) -> str:
    """Why nothing can have this name; empty when it can."""
    if not NAME.fullmatch(name):
        return f'Name "{name}" may hold only a-z, 0-9, dot, underscore and hyphen, 1 to 100 of them.'
    if not name.strip("."):
        return f'Name "{name}" is of dots alone, which a URL takes for a way up. Add a letter, digit, _ or -.'
    return ""


def _faults(job: Definition, queues: Sequence[str], payload_max: int) -> Faults:
    if problem := name_fault(job.name):
        yield "name", problem
    yield from _schedule_faults(job.spec)
    yield from target_faults(job, payload_max)
    if job.queue and job.queue not in queues:
        known = ", ".join(queues)
        yield "queue", f'Queue "{job.queue}" is not one of {known}. Choose one, or add it to BEATKEEPER["QUEUES"].'
    yield from _pause_faults(job)
    yield from _label_faults(job.labels)
    if job.parameters_schema is not None and (problem := schema_fault(job.parameters_schema)):
        yield "parameters_schema", problem
    yield from limit_faults(job)
    yield from built_in_faults(job)


def _text_faults(job: Definition) -> Faults:
    for field in (*_TEXTS, "description", "pause_reason"):
        value = getattr(job, field)
        if not isinstance(value, str):
            yield field, f"{field} {value!r} must be a text."
        elif problem := text_fault(value):
            yield field, f"{field} {problem}"


def _schedule_faults(spec: ScheduleSpec) -> Faults:
    if any(not isinstance(getattr(spec, field), (type_, type(None))) for field, type_ in _TYPES.items()):
        return  # the model's own fields have refused it
    try:
        build(spec)
    except InvalidScheduleError as error:
        yield error.field, str(error)


def _pause_faults(job: Definition) -> Faults:
    if job.paused_until and not job.paused:
        yield "paused_until", "An end of a pause needs the pause itself: tick paused, or empty this field."
    if isinstance(job.paused_until, datetime) and job.paused_until.utcoffset() is None:
        yield "paused_until", f"{job.paused_until} has no offset from UTC. Add one, for example +00:00."


def _label_faults(labels: object) -> Faults:
    if not isinstance(labels, dict) or not all(isinstance(text, str) for pair in labels.items() for text in pair):
        yield "labels", 'Labels must be a JSON object of texts such as {"tier": "gold"}.'
    elif problem := json_fault(labels, limit=MAX_LABELS_BYTES):
        yield "labels", problem
