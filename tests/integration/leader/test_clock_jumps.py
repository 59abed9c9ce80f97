"""The database's clock jumps while a beat stands by: no leader is ended for it, and the next reign waits too."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from pytest_django import Settings

from jobs.beat.crew import Crew
from jobs.beat.loop import Loop
from jobs.conf import config
from jobs.domain.states import RunStatus
from jobs.models import JobCursor, JobRun
from jobs.services.lead import take_term
from jobs.store import shards, state
from jobs.store.clock import database_now
from jobs.store.look import Look, look
from tests.integration.leader.test_loop import NoDispatcher, every_second, settle
from tests.support.elsewhere import Elsewhere, sql
from tests.support.factories import make_job
from tests.support.job_history import get_run, make_run
from tests.support.leading import cursor_of
from tests.support.waiting import let_pass, wait_until

SHARDS = 4


class Clock:
    """The database's clock as a beat reads it; nobody has renewed anything yet since it jumped."""

    def __init__(self) -> None:
        self._ahead = timedelta()
        self._watch = shards.watch

    def jump(self, seconds: float) -> None:
        self._ahead += timedelta(seconds=seconds)

    def now(self) -> Any:
        return database_now() + self._ahead

    def look(self, *args: Any, **options: Any) -> Look:
        seen = look(*args, **options)
        return replace(seen, now=seen.now + self._ahead)

    def watch(self, *args: Any, **options: Any) -> list[Any]:
        rows = self._watch(*args, **options)
        return [row._replace(now=row.now + self._ahead, is_silent=row.is_silent or bool(self._ahead)) for row in rows]


@pytest.fixture
def clock(committed: None, monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("jobs.beat.loop.database_now", clock.now)
    monkeypatch.setattr("jobs.beat.reign.look", clock.look)
    monkeypatch.setattr("jobs.store.shards.watch", clock.watch)
    return clock


@pytest.fixture
def there(clock: Clock) -> Iterator[Elsewhere]:
    with Elsewhere() as other:
        yield other


@pytest.fixture
def start(clock: Clock, settings: Settings) -> Iterator[Callable[..., Any]]:
    """Make a beat that is ticked by hand, under these settings."""
    with ExitStack() as ends:

        def start(beat: type[Loop] | type[Crew], **given: Any) -> Any:
            settings.BEATKEEPER = {"RETENTION_DAYS": 1, **given}
            config.cache_clear()
            made: Loop | Crew = beat(new_dispatcher=lambda *_: NoDispatcher())
            ends.callback(made.close)
            return made

        yield start


@pytest.mark.parametrize("seconds", [61, -61])
def test_what_waits_after_a_jump_that_a_standby_saw_waits_in_its_reign(
    start: Callable[..., Any], there: Elsewhere, clock: Clock, seconds: float
) -> None:
    loop = start(Loop)
    first = Loop(new_dispatcher=NoDispatcher)
    there.do(settle, first)
    loop.tick()
    loop._holds._reaper_until = 0  # as if it had stood by for 35 s
    clock.jump(seconds)
    loop.tick()
    there.do(first.close)
    wait_until(lambda: loop.tick() or loop.is_leading, every=0)
    lost = make_run(make_job(cron="0 0 1 1 *"), RunStatus.RUNNING, locked_until=database_now() - timedelta(hours=1))
    job = every_second()
    wait_until(lambda: loop.tick() and not cursor_of(job).plan_needed, every=0)
    let_pass(1.1)
    loop.tick()
    assert get_run(lost.key).status == "running"
    assert not JobRun.objects.filter(job=job).exists()


def test_a_leader_that_looks_silent_by_a_jump_is_spared_for_a_ttl(
    start: Callable[..., Any], there: Elsewhere, clock: Clock
) -> None:
    standby = start(Loop, TERM_TRUST=0.5, TERM_TTL=1.0)
    there.do(take_term, 0, holder=uuid.uuid4())
    standby.tick()
    clock.jump(10)
    standby.tick()
    assert there.do(sql, "SELECT 1") == [(1,)]
    wait_until(lambda: standby.tick() or standby.is_leading, every=0)  # what goes on being silent is ended


def test_of_several_shards_too_leaders_are_spared_after_a_jump_and_those_taken_then_emit_nothing(
    start: Callable[..., Any], there: Elsewhere, clock: Clock
) -> None:
    state.put(state.SHARDS, SHARDS)
    crew = start(Crew, SHARDS=SHARDS)
    there.do(take_term, 0, holder=uuid.uuid4())
    crew.tick()
    clock.jump(61)
    crew.tick()
    for _ in range(SHARDS):
        every_second()
    planned = JobCursor.objects.filter(shard__gt=0, plan_needed=False)
    wait_until(lambda: crew.tick() is not None and planned.count() == SHARDS - 1, every=0)
    let_pass(1.5)
    assert there.do(sql, "SELECT 1") == [(1,)]
    assert not JobRun.objects.exists()
