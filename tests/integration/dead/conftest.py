"""Dead runs by the dozen, spread over days."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from jobs.domain.messages import RunKey
from jobs.domain.states import RunStatus
from jobs.models import Job
from jobs.store.clock import database_now
from jobs.store.dead import Window
from tests.support.elsewhere import sql
from tests.support.job_history import make_run


@pytest.fixture
def now(db: None) -> datetime:
    return database_now()


@pytest.fixture
def week(now: datetime) -> Window:
    """The window that people see first."""
    return Window.of_days(7, now=now)


def make_dead(
    job: Job, count: int = 1, *, error: str = "HTTP 503: busy", ago: float = 60, **fields: Any
) -> list[RunKey]:
    """Dead runs of a job, oldest first, a second apart."""
    start = database_now().replace(microsecond=0) - timedelta(seconds=ago + count)
    return [
        make_run(
            job,
            RunStatus.DEAD,
            **{"scheduled_for": start + timedelta(seconds=number), "last_error": error, "exclusive": False, **fields},
        ).key
        for number in range(count)
    ]


def group_of(error: str) -> str:
    found: str = sql("SELECT jobs_error_group(%s)", error)[0][0]
    return found


BUSY = "HTTP 503: busy"
