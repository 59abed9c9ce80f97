"""The jobs are divided anew, over and over, while leaders emit and people add jobs (I1, I2, I6)."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta

import pytest
from pytest_django import Settings

from jobs.conf import config
from jobs.models import JobCursor, JobRun
from jobs.services import emit, plan
from jobs.services.ensure_partitions import ensure_partitions
from jobs.services.reshard import reshard
from jobs.store.clock import database_now
from jobs.store.terms import Term
from tests.support.elsewhere import Elsewhere, sql
from tests.support.factories import make_job
from tests.support.waiting import wait_until

MOST, ROUNDS, JOBS = 4, 8, 40


@pytest.fixture(autouse=True)
def _few_partitions(committed: None, settings: Settings) -> None:
    settings.BEATKEEPER = {"RETENTION_DAYS": 1}
    config.cache_clear()
    ensure_partitions(database_now())


@pytest.fixture
def crowd() -> Iterator[list[Elsewhere]]:
    with ExitStack() as ends:
        yield [ends.enter_context(Elsewhere()) for _ in range(MOST + 1)]


def test_cursors_that_move_between_leaders_whose_terms_do_not_end_lose_and_double_no_slot(
    crowd: list[Elsewhere], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "fence", lambda term: None)
    monkeypatch.setattr(emit, "fence", lambda term: None)
    jobs = [make_job(catch_up="all") for _ in range(JOBS)]
    start = database_now().replace(second=0, microsecond=0)
    sql("UPDATE jobs_cursor SET plan_from = %s", start)
    barrier = threading.Barrier(MOST + 1)

    def lead(shard: int) -> int:
        made = 0
        for number in range(ROUNDS):
            barrier.wait(30)
            for _ in range(JOBS // 4):
                made += _emitted(shard, start + timedelta(minutes=number + 1))
        return made

    def divide() -> None:
        for number in range(ROUNDS):
            barrier.wait(30)
            reshard(number % MOST + 1)

    works = [there.begin(lead, shard) for shard, there in enumerate(crowd[:MOST])]
    crowd[MOST].begin(divide).result(90)
    made = sum(work.result(90) for work in works)
    for shard in range(MOST):
        while rest := _emitted(shard, start + timedelta(minutes=ROUNDS)):
            made += rest
    assert Counter(JobRun.objects.values_list("job_id", flat=True)) == {job.pk: ROUNDS for job in jobs}
    assert made == JOBS * ROUNDS


def _emitted(shard: int, now: datetime) -> int:
    while plan.plan_waiting(Term(shard, 1), batch=7):
        pass
    return emit.emit_due(Term(shard, 1), now=now, batch=3).runs


def test_jobs_that_are_added_while_the_number_changes_stand_in_its_shards(crowd: list[Elsewhere]) -> None:
    is_over = threading.Event()

    def add() -> None:
        while not is_over.is_set():
            make_job(kind="manual")

    works = [there.begin(add) for there in crowd[:2]]
    numbers = itertools.cycle((3, 1, 4, 2))
    wait_until(lambda: reshard(next(numbers)) and JobCursor.objects.count() > 50, timeout=60, every=0)
    assert reshard(3).is_complete
    is_over.set()
    for work in works:
        work.result(30)
    assert all(cursor.shard == cursor.pk % 3 for cursor in JobCursor.objects.all())
