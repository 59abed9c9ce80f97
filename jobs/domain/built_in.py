"""The platform's own jobs: what their owner may change, and what must stay for them to work."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from jobs.domain.policies import ConcurrencyPolicy, Delivery

WEBHOOK_JOB = "system.webhook"
WEBHOOK_TASK = "jobs.webhook"
SOURCE = "system"
_TASKS = {WEBHOOK_JOB: WEBHOOK_TASK}


class Definition(Protocol):
    """What is looked at; a ``Job`` fits."""

    name: str
    source: str
    kind: str
    task: str
    enabled: bool
    webhook_id: int | None
    concurrency_policy: str
    team_id: int | None
    args: Any
    kwargs: Any
    delivery: str
    parameters_schema: Any


def is_built_in(name: str) -> bool:
    """Whether a job of this name is the platform's own."""
    return name in _TASKS


def built_in_faults(job: Definition) -> Iterator[tuple[str, str]]:
    """What keeps a built-in job from its work, by field. Its retries, queue, priority and limits are free."""
    if job.source == SOURCE and not is_built_in(job.name):
        yield "name", f"This job is built in and keeps its name ({', '.join(_TASKS)}), by which it is found."
    if (task := _TASKS.get(job.name)) is None:
        if job.task in _TASKS.values():  # it reads runs of every team, and calls any endpoint
            yield "task", f"{job.task} is the platform's own task, for its own job. Choose one of yours."
        return
    if job.task != task:
        yield "task", f'Job "{job.name}" is built in: its task is {task}. Choose another name for a job of your own.'
    for field, (right, why) in _RIGHT.items():
        if getattr(job, field) != right:
            yield field.removesuffix("_id"), f'Job "{job.name}" is built in{why}'


def run_fault(name: str) -> str:
    """Why a job of this name cannot be run by hand; empty when it can."""
    return (
        f'Runs of "{name}" are made when other runs end, not by hand. Replay a dead one.' if is_built_in(name) else ""
    )


def archive_fault(name: str) -> str:
    """Why a job of this name cannot be archived; empty when it can."""
    return f'Job "{name}" is built in and cannot be archived. {_SILENCE}' if is_built_in(name) else ""


_SILENCE = "To end webhooks, empty the field webhook of the jobs that have one."
_FOR_ALL = " and works for all jobs. Leave this as it was."
_RIGHT: dict[str, tuple[Any, str]] = {
    "kind": ("manual", " and has no schedule: its kind is manual."),
    "enabled": (True, f" and works on. {_SILENCE}"),
    "concurrency_policy": (ConcurrencyPolicy.ALLOW, ": each of its runs stands alone. Choose allow."),
    "webhook_id": (None, ", and its runs are webhooks themselves, which announce nothing. Leave this empty."),
    "team_id": (None, _FOR_ALL),
    "args": ([], _FOR_ALL),
    "kwargs": ({}, _FOR_ALL),
    "parameters_schema": (None, _FOR_ALL),
    "delivery": (Delivery.AT_LEAST_ONCE, _FOR_ALL),
}
