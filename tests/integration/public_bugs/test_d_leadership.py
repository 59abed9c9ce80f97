"""Without the lock nothing is emitted, and the lock goes with its session."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from pytest_django import Settings

from jobs.beat.loop import Loop
from jobs.conf import config
from jobs.errors import LeadershipLostError
from jobs.models import Job, JobRun
from jobs.services.emit import emit_due
from jobs.services.ensure_partitions import ensure_partitions
from jobs.services.lead import take_term
from jobs.store.clock import database_now
from jobs.store.terms import Term
from tests.integration.leader.test_loop import NoDispatcher
from tests.support.elsewhere import Elsewhere, sql
from tests.support.factories import make_job
from tests.support.leading import plan
from tests.support.waiting import wait_until

TRIES = 100


@pytest.fixture(autouse=True)
def _few_partitions(committed: None, settings: Settings) -> Iterator[None]:
    settings.BEATKEEPER = {"RETENTION_DAYS": 1, "TERM_TRUST": 0.5, "TERM_TTL": 1.0}
    config.cache_clear()
    ensure_partitions(database_now())
    yield
    connection.close()


@pytest.fixture
def loop() -> Iterator[Loop]:
    loop = Loop(new_dispatcher=NoDispatcher)
    yield loop
    loop.close()


@pytest.fixture
def there() -> Iterator[Elsewhere]:
    with Elsewhere() as other:
        yield other


def due_job() -> Job:
    """A job of every second, planned, with a slot that is due."""
    job = make_job(kind="interval", cron="", interval_seconds=1)
    sql("UPDATE jobs_cursor SET plan_needed = false, plan_from = now() - interval '5 s', next_run_at = now()")
    return job


@pytest.mark.parametrize(
    ("take_away", "give_back"),
    [
        ("ALTER TABLE jobs_leader RENAME TO away", "ALTER TABLE away RENAME TO jobs_leader"),
        ("BEGIN; LOCK TABLE jobs_leader IN ACCESS EXCLUSIVE MODE", "ROLLBACK"),
    ],
    ids=["it is not there", "it does not answer in time"],
)
def test_b059_a_fault_of_the_lock_means_standing_by_and_not_going_on_without_it(
    loop: Loop, there: Elsewhere, take_away: str, give_back: str
) -> None:
    job = due_job()
    there.do(sql, take_away)
    try:
        for _ in range(4):
            loop.tick()
        assert not loop.is_leading
        assert not JobRun.objects.exists()
    finally:
        there.do(sql, give_back)
    wait_until(lambda: loop.tick() and JobRun.objects.filter(job=job).exists(), every=0)
    assert loop.is_leading


def test_b063_of_a_held_lock_nobody_wins_and_its_session_s_end_ends_emission_at_once(there: Elsewhere) -> None:
    job = due_job()
    leader = there.do(lead)
    assert [take_term(0, holder=uuid.uuid4()) for _ in range(TRIES)] == [None] * TRIES
    assert there.do(emit_due, leader).runs >= 1
    made = JobRun.objects.filter(job=job).count()
    sql("SELECT pg_terminate_backend(backend_pid, 5000) FROM jobs_leader")
    with pytest.raises(OperationalError):
        there.do(emit_due, leader, now=database_now() + timedelta(seconds=5))
    assert JobRun.objects.filter(job=job).count() == made
    assert wait_until(lead, timeout=2) == Term(0, leader.number + 1)
    with pytest.raises(LeadershipLostError):
        there.do(emit_anew, leader)
    assert JobRun.objects.filter(job=job).count() == made


def lead() -> Any:
    return take_term(0, holder=uuid.uuid4())


def emit_anew(term: Term) -> None:
    """As a leader that has connected again and still trusts its term."""
    connection.close()
    plan(term)
    emit_due(term, now=database_now() + timedelta(seconds=5))
