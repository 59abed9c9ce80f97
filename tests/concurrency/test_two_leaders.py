"""Two leaders at once, which the lock should prevent and the key must survive (I2, I6); and forbid against a crowd."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from pytest_django import Settings

from jobs.conf import config
from jobs.errors import ConflictError
from jobs.models import JobRun
from jobs.services import emit, plan
from jobs.services.ensure_partitions import ensure_partitions
from jobs.services.run import run_job
from jobs.store.clock import database_now
from jobs.store.terms import Term
from tests.support.elsewhere import Elsewhere, sql
from tests.support.factories import make_job

ROUNDS, JOBS = 8, 40
BOTH_LEAD = Term(0, 1)


@pytest.fixture(autouse=True)
def _unfenced(committed: None, monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    """Leadership set aside: both emit as if each led."""
    settings.BEATKEEPER = {"RETENTION_DAYS": 1}
    config.cache_clear()
    monkeypatch.setattr(plan, "fence", lambda term: None)
    monkeypatch.setattr(emit, "fence", lambda term: None)
    ensure_partitions(database_now())


@pytest.fixture
def two() -> Iterator[list[Elsewhere]]:
    with Elsewhere() as one, Elsewhere() as other:
        yield [one, other]


def test_b057_b076_two_leaders_make_each_slot_one_run_and_count_and_log_no_more(
    two: list[Elsewhere], caplog: pytest.LogCaptureFixture
) -> None:
    """I2."""
    jobs = [make_job(catch_up="all") for _ in range(JOBS)]
    start = database_now().replace(second=0, microsecond=0)
    sql("UPDATE jobs_cursor SET plan_from = %s", start)
    barrier = threading.Barrier(2)

    def reign() -> int:
        made = 0
        for n in range(ROUNDS):
            barrier.wait(20)
            while plan.plan_waiting(BOTH_LEAD, batch=7):
                pass
            now = start + timedelta(minutes=n + 1)
            for _ in range(JOBS):
                made += emit.emit_due(BOTH_LEAD, now=now, batch=7).runs
        return made

    made = [work.result(60) for work in [there.begin(reign) for there in two]]
    made.append(emit_rest(start + timedelta(minutes=ROUNDS)))
    found = Counter(JobRun.objects.values_list("job_id", flat=True))
    assert found == {job.pk: ROUNDS for job in jobs}
    assert sum(made) == JOBS * ROUNDS
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


def emit_rest(now: datetime) -> int:
    """What both passed by because the other held it; how many runs that made."""
    made = 0
    while plan.plan_waiting(BOTH_LEAD):
        pass
    while (done := emit.emit_due(BOTH_LEAD, now=now)).cursors:
        made += done.runs
    return made


def test_b056_forbid_holds_against_leader_and_people_at_once(two: list[Elsewhere]) -> None:
    """Two unfinished runs of a forbid job never stand side by side."""
    job = make_job(kind="interval", cron="", interval_seconds=1, concurrency_policy="forbid")
    barrier = threading.Barrier(3)
    refused: list[ConflictError] = []

    def leader() -> None:
        for _ in range(ROUNDS):
            barrier.wait(20)
            sql("UPDATE jobs_cursor SET next_run_at = now() - interval '1 second'")
            emit.emit_due(BOTH_LEAD, now=database_now() + timedelta(seconds=2))

    def people() -> None:
        for _ in range(ROUNDS):
            barrier.wait(20)
            try:
                run_job(job)
            except ConflictError as error:
                refused.append(error)

    with Elsewhere() as third:
        works = [two[0].begin(leader), two[1].begin(people), third.begin(people)]
        for work in works:
            work.result(60)
    unfinished = JobRun.objects.filter(job=job, finished_at=None)
    assert unfinished.count() == 1
    assert len(refused) >= 2 * ROUNDS - 1
