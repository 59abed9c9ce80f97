"""Clocks that step: due means that the instant is reached and the slot not accounted for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from jobs.store.terms import Term
from tests.support.leading import cursor_of, edit_by_sql, emit, gaps, job_at, slots
from tests.support.times import HOUR, NOON, SECOND

DUE = datetime(2026, 3, 2, 8, 30, 1, tzinfo=UTC)
SCHEDULES: dict[str, str] = {
    "once": f"kind = 'once', cron = '', once_at = '{DUE}'",
    "interval": f"kind = 'interval', cron = '', interval_seconds = 3600, anchor_at = '{DUE}'",
    "calendar": "kind = 'calendar', cron = '', calendar_every = 1, calendar_unit = 'day', anchor_date = '2026-03-02',"
    " wall_time = '08:30:01'",
}


@pytest.mark.parametrize("catch_up", ["latest", "all", "skip"])
@pytest.mark.parametrize("assignment", SCHEDULES.values(), ids=SCHEDULES)
def test_b089_a_clock_that_jumps_over_the_due_second_does_not_lose_the_slot(
    term: Term, assignment: str, catch_up: str
) -> None:
    job = job_at(DUE - HOUR / 2, kind="manual", catch_up=catch_up)
    edit_by_sql(job, DUE - HOUR / 2, assignment)
    for now in (DUE - 4 * SECOND, DUE + 11 * SECOND, DUE + 12 * SECOND):
        emit(term, now)
    assert slots(job) == [DUE]
    assert gaps(job) == []


@pytest.mark.parametrize("step", [timedelta(hours=1), timedelta(days=2)])
def test_b088_after_a_step_back_the_job_goes_on_where_it_was(term: Term, step: Any) -> None:
    job = job_at(NOON - HOUR, cron="0 * * * *")
    emit(term, NOON)
    ahead = cursor_of(job).next_run_at
    for now in (NOON - step, NOON - step / 2, NOON, NOON + HOUR - SECOND):
        emit(term, now)
        assert cursor_of(job).next_run_at == ahead
    emit(term, NOON + HOUR)
    assert slots(job) == [NOON, NOON + HOUR]
    assert gaps(job) == []
