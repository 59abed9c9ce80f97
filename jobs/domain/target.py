"""What a job calls: a Celery task with its arguments, or an endpoint with a body and headers. Exactly one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from jobs.domain.http_body import body_fault
from jobs.domain.http_headers import headers_fault
from jobs.domain.json_value import json_fault
from jobs.domain.limits import LONGEST_CALL_SECONDS
from jobs.errors import InvalidFieldError

MAX_TASK_LENGTH = 255
Faults = Iterator[tuple[str, str]]


class Target(Protocol):
    """What is looked at; a ``Job`` fits."""

    task: str
    args: Any
    kwargs: Any
    endpoint_id: int | None
    body: Any
    headers: Any
    timeout_seconds: int | None
    soft_timeout_seconds: int | None


def target_faults(job: Target, payload_max: int) -> Faults:
    """Faults of a job's target, by field. Whether the endpoint exists is for the database to say."""
    if job.endpoint_id is None:
        yield from _task_faults(job)
        yield from payload_faults({"args": job.args, "kwargs": job.kwargs}, payload_max, is_http=False)
    else:
        yield from _endpoint_faults(job)
        yield from payload_faults({"body": job.body}, payload_max, is_http=True)


def payload_faults(payload: Mapping[str, Any], payload_max: int, *, is_http: bool) -> Faults:
    """Faults of what a task or an endpoint is called with, of a job or of one run; what is left out has none."""
    if is_http:
        if problem := body_fault(payload.get("body"), limit=payload_max):
            yield "body", problem
        return
    args, kwargs = payload.get("args", []), payload.get("kwargs", {})
    if not isinstance(args, list):
        yield "args", f'Arguments must be a JSON list such as [1, "a"], not {_shape(args)}.'
    if not isinstance(kwargs, dict):
        yield "kwargs", f'Keyword arguments must be a JSON object such as {{"key": 1}}, not {_shape(kwargs)}.'
    for field, value in (("args", args), ("kwargs", kwargs)):
        if problem := json_fault(value, limit=payload_max):
            yield field, problem


def check_payload(payload: Mapping[str, Any], payload_max: int, *, is_http: bool) -> None:
    """Refuse what cannot stand in for the job's own ``args`` and ``kwargs``, or ``body``, in one run."""
    known = ("body",) if is_http else ("args", "kwargs")
    target = "POSTs to an endpoint; allowed is body" if is_http else "calls a Celery task; allowed are args and kwargs"
    for name in payload:
        if name not in known:
            raise InvalidFieldError(name, f'This job {target}. Leave "{name}" out.')
    for field, problem in payload_faults(payload, payload_max, is_http=is_http):
        raise InvalidFieldError(field, problem)


def _task_faults(job: Target) -> Faults:
    if not job.task.strip():
        yield "task", "Name the Celery task to run, for example myapp.tasks.report, or choose an endpoint to POST to."
    elif job.task != job.task.strip():
        yield "task", f'Task "{job.task}" has blanks around its name. Remove them.'
    elif len(job.task) > MAX_TASK_LENGTH:
        yield "task", f"The task's name has {len(job.task)} characters; {MAX_TASK_LENGTH} are allowed."
    if job.body is not None:
        yield "body", f"A body is what an endpoint is sent. {_CHOOSE_ENDPOINT}"
    if job.headers != {}:
        yield "headers", f"Headers are what an endpoint is sent. {_CHOOSE_ENDPOINT}"


def _endpoint_faults(job: Target) -> Faults:
    if job.task:
        yield "endpoint", f'A job has one target, and this one names the task "{job.task}" too. Empty one of the two.'
    for field, nothing in (("args", []), ("kwargs", {})):
        if getattr(job, field) != nothing:
            yield field, f"An endpoint takes no {field}: it is sent the body. Empty this field."
    if problem := headers_fault(job.headers):
        yield "headers", problem
    if job.soft_timeout_seconds is not None:
        yield "soft_timeout_seconds", "An HTTP call has no soft limit: one deadline ends it. Empty this field."
    if isinstance(job.timeout_seconds, int) and job.timeout_seconds > LONGEST_CALL_SECONDS:
        yield (
            "timeout_seconds",
            f"An HTTP call lasts at most {LONGEST_CALL_SECONDS:,} s, not {job.timeout_seconds:,}. Let the endpoint "
            "take over what lasts longer, and answer at once.",
        )


_CHOOSE_ENDPOINT = "Choose an endpoint in place of the task, or empty this field."


def _shape(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number" if isinstance(value, (int, float)) else f"a {type(value).__name__}")
