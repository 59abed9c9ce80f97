"""A process sends its own runs when they are committed, and never waits long for a broker."""

from __future__ import annotations

import os
import threading
import time
from datetime import timedelta
from typing import Any

import pytest
from celery.app import app_or_default
from django.db import transaction

from jobs.broker import courier as courier_module
from jobs.broker.courier import Courier, courier
from jobs.domain.messages import RunKey
from jobs.services.dispatch import publish_after_commit
from jobs.store.clock import database_now
from tests.integration.broker.conftest import Broker, change, run
from tests.support.proxy import Proxy

UNREACHABLE = "amqp://guest:guest@127.0.0.1:1//"


@pytest.fixture(autouse=True)
def _own_courier(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Each test meets a courier that has met no failure yet."""
    monkeypatch.setattr(courier_module, "_courier", Courier())
    yield
    courier().close()


def test_a_run_is_sent_and_marked_when_its_transaction_commits(broker: Broker, make_runs: Any) -> None:
    with transaction.atomic():
        (key,) = make_runs()
        publish_after_commit([key])
        assert broker.depth() == 0

    assert broker.runs() == [{"key": str(key), "token": 0}]
    assert run(key).dispatched_at is not None


def test_a_transaction_that_rolls_back_sends_nothing(broker: Broker, make_runs: Any) -> None:
    with transaction.atomic():
        publish_after_commit(make_runs())
        transaction.set_rollback(True)

    assert broker.runs() == []


def test_only_runs_that_may_go_now_are_sent(broker: Broker, make_runs: Any) -> None:
    due, sent, ended = make_runs(3)
    (later,) = make_runs(run_after=database_now() + timedelta(hours=1), ago=20)
    change(sent, dispatched_at=database_now())
    change(ended, status="cancelled", finished_at=database_now())

    publish_after_commit([due, sent, ended, later, RunKey(10**9, database_now())])

    assert broker.runs() == [{"key": str(due), "token": 0}]


def test_a_kept_connection_sends_the_next_run_in_milliseconds(broker: Broker, make_runs: Any) -> None:
    publish_after_commit(make_runs())
    times = []
    for number in range(10):
        keys = make_runs(ago=20 + number)
        start = time.perf_counter()
        publish_after_commit(keys)
        times.append(time.perf_counter() - start)

    assert len(broker.runs()) == 11
    assert sorted(times)[5] < 0.1


def test_a_broker_that_is_away_costs_little_once_and_nothing_soon_after(
    broker: Broker, make_runs: Any, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    monkeypatch.setattr(app_or_default().conf, "broker_write_url", UNREACHABLE)
    first, second = make_runs(2)

    start = time.perf_counter()
    publish_after_commit([first])
    assert time.perf_counter() - start < 2
    assert run(first).dispatched_at is None

    with django_assert_num_queries(0):
        publish_after_commit([second])


def test_a_broker_that_takes_connections_and_says_nothing_is_left_within_two_seconds(
    broker: Broker, make_runs: Any, proxy: Proxy
) -> None:
    publish_after_commit(make_runs())
    proxy.hold()
    (key,) = make_runs(ago=20)

    start = time.perf_counter()
    publish_after_commit([key])

    assert time.perf_counter() - start < 2
    assert run(key).dispatched_at is None


def test_a_connection_that_broke_while_idle_is_replaced(broker: Broker, make_runs: Any, proxy: Proxy) -> None:
    publish_after_commit(make_runs())
    proxy.cut()
    (key,) = make_runs(ago=20)

    publish_after_commit([key])

    assert run(key).dispatched_at is not None


def test_a_courier_whose_connection_broke_often_has_one_timer_to_close_it(
    broker: Broker, make_runs: Any, proxy: Proxy
) -> None:
    before = _timers()
    for number in range(3):
        publish_after_commit(make_runs(ago=20 + number))
        proxy.cut()

    assert len(broker.runs()) == 3
    assert len(_timers() - before) == 1


def test_a_database_that_fails_after_the_commit_is_not_the_callers_trouble(
    broker: Broker, make_runs: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*args: Any) -> Any:
        raise RuntimeError("away")

    monkeypatch.setattr("jobs.services.dispatch.select_by_key", fails)

    publish_after_commit(make_runs())

    assert "dispatch.left_to_leader" in caplog.text


def test_threads_share_the_connection(broker: Broker, make_runs: Any) -> None:
    from django.db import connection

    def send(key: RunKey) -> None:
        publish_after_commit([key])
        connection.close()

    keys = make_runs(8)
    threads = [threading.Thread(target=send, args=[key]) for key in keys]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(header["key"] for header in broker.runs()) == sorted(map(str, keys))


# From 3.12 on Python warns of forking beside threads; prefork servers do it all the same.
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_leaves_its_parents_connection_alone(broker: Broker, make_runs: Any) -> None:
    publish_after_commit(make_runs())
    parent = courier()
    child = os.fork()
    if child == 0:
        os._exit(0 if courier() is not parent and courier()._publisher is None else 1)
    assert os.waitpid(child, 0)[1] == 0

    publish_after_commit(make_runs(ago=20))
    assert len(broker.runs()) == 2
    assert courier() is parent


def _timers() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)}
