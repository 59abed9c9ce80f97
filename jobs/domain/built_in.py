"""The platform's own jobs: what their owner may change, and what must stay for them to work."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from jobs.domain.policies import ConcurrencyPolicy

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


def is_built_in(name: str) -> bool:
    """Whether a job of this name is the platform's own."""
    return name in _TASKS


def built_in_faults(job: Definition) -> Iterator[tuple[str, str]]:
    """What keeps a built-in job from its work, by field. Its retries, queue, priority and limits are free."""
    if job.source == SOURCE and not is_built_in(job.name):
        yield "name", f"This job is built in and keeps its name ({', '.join(_TASKS)}), by which it is found."
    if (task := _TASKS.get(job.name)) is None:
        return
    if job.task != task:
        yield "task", f'Job "{job.name}" is built in: its task is {task}. Choose another name for a job of your own.'
    if job.kind != "manual":
        yield "kind", f'Job "{job.name}" is built in and has no schedule: its kind is manual.'
    if not job.enabled:
        yield "enabled", f'Job "{job.name}" is built in and works on. {_SILENCE}'
    if job.concurrency_policy != ConcurrencyPolicy.ALLOW:
        yield "concurrency_policy", f'Job "{job.name}" is built in: each of its runs stands alone. Choose allow.'
    if job.webhook_id is not None:
        yield "webhook", f'Runs of "{job.name}" are webhooks themselves and announce nothing. Leave this empty.'


def archive_fault(name: str) -> str:
    """Why a job of this name cannot be archived; empty when it can."""
    return f'Job "{name}" is built in and cannot be archived. {_SILENCE}' if is_built_in(name) else ""


_SILENCE = "To end webhooks, empty the field webhook of the jobs that have one."
