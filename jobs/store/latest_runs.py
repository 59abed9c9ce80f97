"""The newest run of each of some jobs, for lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jobs.domain.messages import RunKey
from jobs.domain.states import RunStatus
from jobs.store.statement import Statement

_LATEST = Statement("latest_runs")


@dataclass(frozen=True, slots=True)
class LatestRun:
    """Which run, and where it stands."""

    key: RunKey
    status: RunStatus


def latest_runs(job_ids: Sequence[int]) -> dict[int, LatestRun]:
    """By job; jobs that never ran are left out."""
    rows = _LATEST.rows(job_ids=list(job_ids)) if job_ids else []
    return {row.job_id: LatestRun(RunKey(row.job_id, row.scheduled_for), RunStatus(row.status)) for row in rows}
