"""Queued runs go to the broker once, in order, within the window; a broken queue starves no other."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from jobs.beat.dispatcher import Dispatcher
from jobs.conf import config
from jobs.domain.messages import task_id
from jobs.models import JobRun
from jobs.store.clock import database_now
from jobs.store.runs import ensure_days
from tests.integration.broker.conftest import Broker, body, change, run, tick_until
from tests.support.factories import make_job
from tests.support.waiting import let_pass, wait_until


def test_a_due_run_is_sent_once_and_marked(dispatcher: Dispatcher, broker: Broker, make_runs: Any) -> None:
    job = make_job(name="report", kind="manual", task="app.report", args=[1], kwargs={"day": "today"})
    (key,) = make_runs(job=job)

    assert dispatcher.tick() == 1
    assert dispatcher.tick() == 0

    (message,) = broker.take()
    assert message.headers["jobs-run"] == {"key": str(key), "token": 0}
    assert message.headers["id"] == message.properties["correlation_id"] == task_id(key, 0)
    assert (message.headers["task"], message.headers["shadow"]) == ("app.report", "report")
    assert body(message)[:2] == [[1], {"day": "today"}]
    assert run(key).dispatched_at is not None


def test_a_payload_of_the_run_stands_in_for_the_jobs_arguments(
    dispatcher: Dispatcher, broker: Broker, make_runs: Any
) -> None:
    make_runs(job=make_job(kind="manual", args=[1]), payload={"args": [2]})

    dispatcher.tick()

    assert body(broker.take()[0])[:2] == [[2], {}]


def test_a_run_that_no_message_can_be_made_of_is_dead_and_holds_up_no_other(
    dispatcher: Dispatcher, broker: Broker, make_runs: Any
) -> None:
    bad, good = make_runs(job=make_job(kind="manual"), payload={"args": [1]}), make_runs()
    JobRun.objects.filter(job_id=bad[0].job_id).update(payload="args")

    assert dispatcher.tick() == 1

    assert run(bad[0]).status == "dead"
    assert run(bad[0]).last_error.startswith("unsendable: TypeError")
    assert broker.runs() == [{"key": str(good[0]), "token": 0}]


def test_a_message_that_is_too_large_for_any_broker_is_dead_and_holds_up_no_other(
    dispatcher: Dispatcher, broker: Broker, make_runs: Any
) -> None:
    huge, good = make_runs(payload={"args": ["x" * 4 * config().payload_max]}), make_runs(ago=5)

    assert dispatcher.tick() == 1

    assert "PAYLOAD_MAX" in run(huge[0]).last_error
    assert run(good[0]).dispatched_at is not None


def test_a_run_whose_time_has_not_come_stays(dispatcher: Dispatcher, broker: Broker, make_runs: Any) -> None:
    make_runs(run_after=database_now() + timedelta(seconds=60))

    assert dispatcher.tick() == 0
    assert broker.runs() == []


def test_a_started_dispatcher_sends_a_retry_within_a_second_of_its_time(broker: Broker, make_runs: Any) -> None:
    dispatcher = Dispatcher()
    dispatcher.start()
    try:
        (key,) = make_runs(run_after=database_now() + timedelta(seconds=1.5))
        wait_until(lambda: run(key).dispatched_at)
        assert run(key).dispatched_at - run(key).run_after < timedelta(seconds=1)  # type: ignore[operator]
    finally:
        dispatcher.stop()


def test_a_started_dispatcher_sends_at_once_when_woken(
    broker: Broker, make_runs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs.beat.dispatcher._IDLE_SECONDS", 60.0)
    dispatcher = Dispatcher()
    dispatcher.start()
    try:
        wait_until(lambda: broker.depth(), what="its first marker")
        let_pass(0.3)
        (key,) = make_runs()
        dispatcher.wake()
        wait_until(lambda: run(key).dispatched_at)
    finally:
        dispatcher.stop()


def test_higher_priorities_go_first_and_within_one_the_longest_due(
    dispatcher: Dispatcher, broker: Broker, make_runs: Any
) -> None:
    low = make_runs(2, ago=30)
    high = make_runs(2, ago=10, priority=9)
    middle = make_runs(1, ago=20, priority=4)

    dispatcher.tick()

    assert [header["key"] for header in broker.runs()] == [str(key) for key in [*high, *middle, *low]]


def test_no_more_than_the_window_is_sent_and_unclaimed(
    committed: None, broker: Broker, make_runs: Any, settings: Any
) -> None:
    settings.BEATKEEPER = {**settings.BEATKEEPER, "DISPATCH_WINDOW": 3}
    config.cache_clear()
    keys = make_runs(5)
    dispatcher = Dispatcher()

    sent = [dispatcher.tick() for _ in range(3)]
    assert sent == [3, 0, 0]

    for key in keys[:2]:
        change(key, status="succeeded", finished_at=database_now())
    assert dispatcher.tick() == 2
    dispatcher.close()


def test_a_slot_older_than_two_days_is_found_by_the_sweep(
    dispatcher: Dispatcher, broker: Broker, make_runs: Any
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT jobs_ensure_partitions(current_date - 40, current_date - 38)")
    make_runs(ago=39 * 86_400)

    assert dispatcher.tick() == 0
    dispatcher._sweep._swept_at[broker.queue] -= 60
    assert dispatcher.tick() == 1


def test_a_batch_of_large_payloads_is_sent_in_parts(dispatcher: Dispatcher, broker: Broker, make_runs: Any) -> None:
    make_runs(30, job=make_job(kind="manual", args=["x" * 100_000]))

    first = dispatcher.tick()
    tick_until(dispatcher, lambda: broker.depth() == 30)

    assert 0 < first < 12
    assert len(broker.runs()) == 30


def test_a_backlog_goes_once_each_though_batches_are_read_ahead(
    dispatcher: Dispatcher, broker: Broker, make_runs: Any
) -> None:
    keys = make_runs(2_300)

    marked = 0
    while done := dispatcher.tick():
        marked += done

    assert marked == len(keys)
    assert sorted(header["key"] for header in broker.runs()) == sorted(map(str, keys))


def test_many_runs_of_old_slots_go_on_without_a_pause_beside_a_queue_that_is_busy(
    committed: None, broker: Broker, make_runs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each batch that holds an old run looks at all slots again, whichever queue looks first."""
    monkeypatch.setattr("jobs.beat.queue_dispatch._BATCH_MAX", 2)
    busy, quiet = broker.queues
    for days in (3, 5):
        ensure_days([database_now() - timedelta(days=days)])
    old = make_runs(5, queue=quiet, ago=3 * 86_400) + make_runs(4, queue=quiet, ago=5 * 86_400)
    make_runs(30, queue=busy)
    dispatcher = Dispatcher()

    tick_until(dispatcher, lambda: all(run(key).dispatched_at for key in old), timeout=20, what="the old ones to go")

    assert len(broker.runs(quiet)) == len(old)
    dispatcher.close()
