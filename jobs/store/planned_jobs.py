"""Read the definitions of jobs whose cursors are locked."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db import connection

from jobs.domain.planning import PlannedJob
from jobs.domain.schedules import ScheduleSpec
from jobs.store.statement import Statement

_SELECT = Statement("planned_jobs")
_SPEC = len(PlannedJob.__dataclass_fields__) - 1


def planned_jobs(job_ids: Collection[int]) -> dict[int, PlannedJob]:
    """The jobs by id."""
    with connection.cursor() as cursor:
        cursor.execute(_SELECT.text, {"job_ids": list(job_ids)})
        rows: list[Any] = cursor.fetchall()
    return {row[0]: PlannedJob(*(*row[:_SPEC], ScheduleSpec(*row[_SPEC:]))) for row in rows}
