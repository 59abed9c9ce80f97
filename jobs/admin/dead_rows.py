"""What the pages of dead runs show of a group and of a run. Secrets are masked, texts bounded; templates escape."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from jobs.admin import formats
from jobs.admin.attempts import read_instant
from jobs.domain.bounds import bounded_text
from jobs.domain.masking import mask_json, mask_text
from jobs.models import JobRun
from jobs.store import dead
from jobs.store.dead import DeadGroup

_ERROR_MAX = 300
_TEXTS = ("attempt", "kind", "by", "type", "message", "traceback")
_ARGUMENTS_MAX = 2000


class GroupRow:
    """A group: its name, how many runs of how many jobs, since when and until when, and one of its errors."""

    def __init__(self, group: DeadGroup) -> None:
        self.group = group.group
        self.error = bounded_text(mask_text(group.error), _ERROR_MAX)
        self.is_capped = group.runs >= dead.COUNT_CAP
        self.runs = f"over {dead.COUNT_CAP - 1:,}" if self.is_capped else f"{group.runs:,}"
        self.jobs = f"{group.jobs:,}"
        self.newest = group.newest
        self.first = formats.instant(group.first_at, "UTC")
        self.last = formats.instant(group.last_at, "UTC")


class RunRow:
    """A dead run: which, of which job, when it died, what it got, and the errors of its attempts."""

    def __init__(self, run: JobRun) -> None:
        self.key = run.key
        self.job = run.job
        self.attempts = f"{run.attempts} of {run.max_attempts}"
        self.died = formats.instant(run.finished_at, run.job.timezone)
        self.error = bounded_text(mask_text(run.last_error), _ERROR_MAX)
        self.arguments = bounded_text(json.dumps(mask_json(_given(run)), ensure_ascii=False), _ARGUMENTS_MAX)
        self.entries = list(_entries(run))


def _given(run: JobRun) -> Any:
    """What the run was called with: its own payload, or the job's of today."""
    if run.job.endpoint_id is not None:
        return {"body": run.job.body, **(run.payload or {})}
    return {"args": run.job.args, "kwargs": run.job.kwargs, **(run.payload or {})}


def _entries(run: JobRun) -> Iterator[dict[str, str]]:
    """What is kept of its attempts, times as on the other pages."""
    for entry in run.errors or []:
        if isinstance(entry, dict):
            texts = {name: mask_text(str(entry.get(name) or "")) for name in _TEXTS}
            at = read_instant(entry.get("at"))
            yield {**texts, "at": formats.local(at, run.job.timezone) if at else ""}
