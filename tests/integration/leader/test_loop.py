"""The loop run by hand: it leads, stands by, waits no longer than it must, and outlives what happens to it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from celery import Celery
from django.db import connection
from pytest_django import Settings

from jobs.beat import Scheduler
from jobs.beat.loop import Loop
from jobs.clock import monotonic
from jobs.conf import config
from jobs.models import Job, JobCursor, JobRun, Leader
from jobs.store import state
from jobs.store.clock import database_now
from jobs.store.runs import NewRun, insert_runs
from tests.support.elsewhere import Elsewhere, hang_up, sql
from tests.support.factories import make_job
from tests.support.leading import cursor_of
from tests.support.waiting import let_pass, wait_until


class NoDispatcher:
    """Stands in for the thread that talks to the broker."""

    woken = 0

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def wake(self) -> None:
        self.woken += 1


@pytest.fixture
def dispatcher() -> NoDispatcher:
    return NoDispatcher()


@pytest.fixture(autouse=True)
def _few_partitions(settings: Settings) -> None:
    """Each table more makes emptying the database between tests slower."""
    settings.BEATKEEPER = {"RETENTION_DAYS": 1}
    config.cache_clear()


@pytest.fixture
def loop(committed: None, dispatcher: NoDispatcher) -> Iterator[Loop]:
    loop = Loop(new_dispatcher=lambda: dispatcher)
    yield loop
    loop.close()


@pytest.fixture
def there(committed: None) -> Iterator[Elsewhere]:
    with Elsewhere() as other:
        yield other


def settle(loop: Loop) -> None:
    """Tick until there is nothing left to do."""
    wait_until(lambda: loop.tick() == 0 and loop.is_leading, what="an idle leader", every=0)


def every_second() -> Job:
    return make_job(kind="interval", cron="", interval_seconds=1)


def test_a_job_that_comes_due_becomes_a_run_and_the_dispatcher_is_woken(loop: Loop, dispatcher: NoDispatcher) -> None:
    job = every_second()
    wait_until(lambda: loop.tick() and JobRun.objects.filter(job=job).count() >= 2, every=0)
    assert dispatcher.woken > 0
    runs = JobRun.objects.filter(job=job)
    assert all(run.created_at - run.scheduled_for < timedelta(seconds=1) for run in runs)


def by_save(job: Job) -> None:
    job.cron = "0 0 2 1 *"
    job.save()


WRITES: dict[str, Callable[[Job], object]] = {
    "insert": lambda _: make_job(name="new", cron="0 0 2 1 *"),
    "save": by_save,
    "QuerySet.update": lambda job: Job.objects.filter(pk=job.pk).update(cron="0 0 2 1 *"),
    "SQL": lambda job: sql("UPDATE jobs_job SET cron = '0 0 2 1 *' WHERE id = %s", job.pk),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_b079_writing_a_job_wakes_an_idle_leader_at_once(
    loop: Loop, there: Elsewhere, write: Callable[[Job], object]
) -> None:
    job = make_job(cron="0 0 1 1 *")
    settle(loop)

    def write_soon() -> float:
        let_pass(0.2)
        write(job)
        return monotonic()

    written = there.begin(write_soon)
    loop.tick()
    woken_at = monotonic()
    assert woken_at - written.result() < 0.3
    loop.tick()
    planned = JobCursor.objects.get(job__cron="0 0 2 1 *")
    assert planned.next_run_at is not None
    assert (planned.next_run_at.day, planned.plan_needed) == (2, False)


def test_a_leader_with_nothing_to_do_costs_one_statement_a_second(loop: Loop) -> None:
    make_job(cron="0 0 1 1 *")
    settle(loop)
    seen: list[str] = []

    def count(execute: Any, sql: str, *rest: Any) -> Any:
        seen.append(sql)
        return execute(sql, *rest)

    began = monotonic()
    with connection.execute_wrapper(count):
        for _ in range(4):
            loop.tick()
    seconds = monotonic() - began
    renewals = [sql for sql in seen if "UPDATE jobs_leader" in sql]
    assert seconds > 3.5
    assert len(renewals) <= 2
    assert len(seen) - len(renewals) == 4


def test_b063_a_leader_whose_connection_is_ended_stands_by_and_leads_again(loop: Loop, there: Elsewhere) -> None:
    settle(loop)
    there.do(sql, "SELECT pg_terminate_backend(backend_pid) FROM jobs_leader")
    loop.tick()
    assert not loop.is_leading
    wait_until(lambda: loop.tick() or loop.is_leading, every=0)
    assert Leader.objects.get().term == 2


def test_a_leader_that_lost_its_lock_stands_by(loop: Loop) -> None:
    settle(loop)
    sql("SELECT pg_advisory_unlock_all()")
    wait_until(lambda: loop.tick() is not None and not loop.is_leading, every=0, what="a renewal")
    wait_until(lambda: loop.tick() or loop.is_leading, every=0)


def test_a_standby_takes_over_at_once(loop: Loop, there: Elsewhere) -> None:
    first = Loop(new_dispatcher=NoDispatcher)
    there.do(settle, first)
    loop.tick()
    assert not loop.is_leading
    there.do(first.close)
    began = monotonic()
    wait_until(lambda: loop.tick() or loop.is_leading, every=0)
    assert monotonic() - began < 2


def test_a_step_that_fails_stops_neither_the_others_nor_the_loop(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1/0")
        return 0

    monkeypatch.setattr("jobs.beat.steps.count_gaps", broken)
    job = every_second()
    sql(
        "INSERT INTO jobs_slotgap (job_id, after, until, reason, version)"
        " VALUES (%s, now() - interval '1 day', now(), 'edited', 1)",
        job.pk,
    )
    wait_until(lambda: loop.tick() is not None and JobRun.objects.filter(job=job).count() >= 2, every=0)
    assert loop.is_leading


def test_a_step_that_keeps_failing_does_not_spin(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(loop)
    calls = []

    def broken(*_: object, **__: object) -> int:
        calls.append(1)
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr("jobs.beat.steps.emit_due", broken)
    sql("UPDATE jobs_cursor SET next_run_at = now() WHERE job_id = %s", every_second().pk)
    began = monotonic()
    while monotonic() - began < 2:
        loop.tick()
    assert len(calls) <= 4
    assert loop.is_leading


def test_a_job_whose_lock_is_held_is_looked_at_again_soon(loop: Loop, there: Elsewhere) -> None:
    job = every_second()
    settle(loop)
    there.do(sql, "BEGIN")
    there.do(sql, "SELECT FROM jobs_cursor WHERE job_id = %s FOR UPDATE", job.pk)
    began = monotonic()
    while monotonic() - began < 1.5:
        loop.tick()
    held_until = database_now()
    there.do(sql, "ROLLBACK")
    wait_until(lambda: loop.tick() and JobRun.objects.filter(job=job, created_at__gt=held_until).exists(), every=0)
    assert database_now() - held_until < timedelta(seconds=1)


def test_no_lease_is_reaped_before_workers_had_their_chance_to_renew(loop: Loop) -> None:
    job, now = make_job(cron="0 0 1 1 *"), database_now()
    insert_runs([NewRun(job.pk, now, now, "jobs.default")])
    held = {"status": "running", "locked_by": uuid.uuid4(), "locked_until": now - timedelta(hours=1)}
    JobRun.objects.update(**held)
    settle(loop)
    loop.tick()
    assert JobRun.objects.get().status == "running"
    loop._reign._holds._reaper_until = 0  # type: ignore[union-attr]  # as if 35 s had passed
    loop.tick()
    assert JobRun.objects.get().status == "queued"


def test_another_tzdata_version_plans_anew_what_lies_ahead(loop: Loop) -> None:
    job = make_job(cron="0 0 1 1 *")
    settle(loop)
    planned = cursor_of(job)
    loop.close()
    state.put(state.TZDATA_VERSION, "1999a")
    sql("UPDATE jobs_cursor SET next_run_at = next_run_at + interval '1 hour'")
    again = Loop(new_dispatcher=NoDispatcher)
    settle(again)
    assert cursor_of(job).next_run_at == planned.next_run_at
    assert cursor_of(job).plan_from == planned.plan_from
    assert state.get(state.TZDATA_VERSION) != "1999a"
    again.close()


def test_closing_frees_the_lock_and_may_be_repeated(loop: Loop, there: Elsewhere) -> None:
    settle(loop)
    loop.close()
    loop.close()
    assert wait_until(lambda: there.do(sql, "SELECT NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory')"))


def test_b059_without_a_database_beat_waits_and_goes_on(
    committed: None, monkeypatch: pytest.MonkeyPatch, loop: Loop
) -> None:
    settings = connection.settings_dict
    connection.close()
    monkeypatch.setitem(settings, "PORT", "1")
    for _ in range(3):
        loop.tick()
    assert not loop.is_leading
    monkeypatch.undo()
    wait_until(lambda: loop.tick() or loop.is_leading, every=0)


def test_a_signal_in_a_tick_ends_beat_and_closes_once_the_tick_is_over(
    committed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler = Scheduler(app=Celery("beat", set_as_current=False), max_interval=1)
    loop: Loop = scheduler._loop
    monkeypatch.setattr(loop, "_new_dispatcher", NoDispatcher)
    settle(loop)

    def signalled() -> int:
        scheduler.close()
        assert loop.is_leading
        raise SystemExit

    monkeypatch.setattr(loop, "tick", signalled)
    with pytest.raises(SystemExit):
        scheduler.tick()
    scheduler.close()
    assert not loop.is_leading


def test_the_lazy_scheduler_opens_nothing() -> None:
    scheduler = Scheduler(app=Celery("beat", set_as_current=False), lazy=True)
    assert scheduler.schedule == {}
    assert "jobs_job" in scheduler.info


def test_two_loops_in_one_process_are_two_sessions(loop: Loop, there: Elsewhere) -> None:
    there.do(hang_up)
    settle(loop)
    assert there.do(Loop(new_dispatcher=NoDispatcher).tick) == 0
