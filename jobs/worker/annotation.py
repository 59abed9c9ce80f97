"""What every task class of the app gets: a request that may be a run, and a retry that the database keeps."""

from __future__ import annotations

from functools import cache
from typing import Any

from celery.utils.imports import symbol_by_name

from jobs.worker.request import RunRequest
from jobs.worker.retrying import retry_of_runs


class RunAnnotation:
    """An entry of Celery's ``task_annotations``; it keeps what team code set on its own task classes."""

    def annotate(self, task: Any) -> dict[str, Any]:
        """Attributes for this task class."""
        return {"Request": _request_of_runs(symbol_by_name(task.Request)), "@retry": retry_of_runs}


@cache
def _request_of_runs(base: type) -> type:
    """Ours, above a request class of the team's own where there is one."""
    if issubclass(base, RunRequest):
        return base
    if issubclass(RunRequest, base):
        return RunRequest
    return type("RunRequest", (RunRequest, base), {})
