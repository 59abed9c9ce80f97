"""A broker that is silent, cut off or short of a queue, and marks that fail: what was under way goes again, once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from celery.app import app_or_default
from django.db import OperationalError, connection

from jobs.beat.dispatcher import Dispatcher
from jobs.services import dispatch
from jobs.store.clock import database_now
from tests.integration.broker.conftest import Broker, change, run, tick_until
from tests.support.elsewhere import Elsewhere, sql
from tests.support.fails_once import fails_once
from tests.support.proxy import Proxy
from tests.support.waiting import wait_until


@pytest.mark.usefixtures("unanswered")
def test_confirms_that_stay_away_are_told_of(broker: Broker, caplog: pytest.LogCaptureFixture) -> None:
    told = [record.getMessage() for record in caplog.get_records("setup")]
    assert any(text.startswith(f"publish.unconfirmed queue={broker.queue} messages=1") for text in told), told


def test_nothing_is_sent_while_the_broker_says_that_it_is_blocked(
    dispatcher: Dispatcher, broker: Broker, make_runs: Any
) -> None:
    make_runs()
    amqp_connection = dispatcher._publisher._connection
    amqp_connection._on_blocked()  # type: ignore[union-attr]
    assert dispatcher.tick() == 0
    assert broker.runs() == []

    amqp_connection._on_unblocked()  # type: ignore[union-attr]
    assert dispatcher.tick() == 1


def test_a_mark_is_refused_when_the_token_has_moved_on(committed: None, broker: Broker, make_runs: Any) -> None:
    """I3: a late mark would hide the queued retry."""
    claimed, requeued, marked, kept = make_runs(4)
    selected = dispatch.select_by_key([claimed, requeued, marked, kept])
    change(claimed, status="running", token=1, locked_by="0" * 32, locked_until=database_now())
    change(requeued, token=1)
    before = database_now() - timedelta(seconds=5)
    change(marked, dispatched_at=before)

    assert dispatch.mark(selected) == (1, [])

    assert run(kept).dispatched_at is not None
    assert run(requeued).dispatched_at is None
    assert run(marked).dispatched_at == before


def test_a_mark_that_fails_is_tried_again_without_a_second_copy(
    dispatcher: Dispatcher, broker: Broker, make_runs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I3: the broker holds the message, the database does not know it yet."""
    monkeypatch.setattr(dispatch, "mark", fails_once(dispatch.mark))
    (key,) = make_runs()
    with pytest.raises(OperationalError):
        dispatcher.tick()
    assert run(key).dispatched_at is None

    assert dispatcher.tick() == 1
    assert broker.runs() == [{"key": str(key), "token": 0}]


def test_a_run_that_fails_while_its_batch_awaits_confirms_is_sent_again_once(
    proxied: Dispatcher, broker: Broker, make_runs: Any, proxy: Proxy
) -> None:
    """I3: the message was claimed, the body failed and the run is queued again before its confirm came."""
    failed, other = make_runs(2)
    proxy.hold_answers()
    assert proxied.tick() == 0
    assert [header["token"] for header in broker.runs()] == [0, 0]

    change(failed, token=1, attempts=1)
    assert proxied.tick() == 0
    assert broker.runs() == [], "nothing more goes this way while confirms are missing"

    proxy.release()
    tick_until(proxied, lambda: run(failed).dispatched_at and run(other).dispatched_at)
    proxied.tick()
    assert broker.runs() == [{"key": str(failed), "token": 1}]


def test_a_cut_connection_is_found_and_what_was_under_way_goes_again(
    proxied: Dispatcher, broker: Broker, make_runs: Any, proxy: Proxy
) -> None:
    (key,) = make_runs()
    proxy.hold_answers()
    proxied.tick()
    proxy.cut()
    proxy.release()

    tick_until(proxied, lambda: run(key).dispatched_at)
    assert {header["key"] for header in broker.runs()} == {str(key)}


def test_a_broker_that_falls_silent_is_left_after_two_heartbeats(
    committed: None, broker: Broker, make_runs: Any, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs.broker.publisher._HEARTBEAT_SECONDS", 1)
    dispatcher = Dispatcher()
    dispatcher.tick()
    (key,) = make_runs()
    proxy.hold()
    tick_until(dispatcher, lambda: not dispatcher._publisher.is_connected, what="the heart to stop")
    proxy.cut()
    proxy.release()

    tick_until(dispatcher, lambda: run(key).dispatched_at)
    assert {header["key"] for header in broker.runs()} == {str(key)}
    dispatcher.close()


def test_a_queue_that_is_gone_is_left_alone_then_made_anew_and_another_goes_on(
    dispatcher: Dispatcher, broker: Broker, make_runs: Any, caplog: pytest.LogCaptureFixture
) -> None:
    gone, good = broker.queues
    (lost,) = make_runs(queue=gone)
    broker.delete(gone)
    make_runs(5, queue=good)

    assert dispatcher.tick() == 5
    assert run(lost).dispatched_at is None
    assert f'No queue took messages for "{gone}"' in caplog.text

    make_runs(5, queue=good, ago=5)
    assert dispatcher.tick() == 5
    tick_until(dispatcher, lambda: run(lost).dispatched_at)
    assert [header["key"] for header in broker.runs(gone)] == [str(lost)]


def test_a_queue_made_otherwise_is_reported_and_another_goes_on(
    dispatcher: Dispatcher, broker: Broker, make_runs: Any, caplog: pytest.LogCaptureFixture
) -> None:
    bad, good = broker.queues
    broker.delete(bad)
    broker.connection.default_channel.queue_declare(bad, durable=True, auto_delete=False)
    make_runs(queue=bad)
    make_runs(3, queue=good)

    assert dispatcher.tick() == 3
    tick_until(dispatcher, lambda: "delete_queue" in caplog.text)
    make_runs(3, queue=good, ago=5)
    assert dispatcher.tick() == 3


def test_the_thread_outlives_a_database_that_fails(
    broker: Broker, make_runs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    dispatcher = Dispatcher()
    fails = [True]
    real = Dispatcher.tick

    def tick(self: Dispatcher) -> int:
        if fails:
            fails.pop()
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        return real(self)

    monkeypatch.setattr(Dispatcher, "tick", tick)
    dispatcher.start()
    try:
        (key,) = make_runs()
        wait_until(lambda: run(key).dispatched_at)
    finally:
        dispatcher.stop()


def test_no_statement_is_asked_of_the_database_for_dispatch_while_the_broker_is_away(
    committed: None, broker: Broker, make_runs: Any, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    monkeypatch.setattr(app_or_default().conf, "broker_write_url", "amqp://guest@127.0.0.1:1//")
    dispatcher = Dispatcher()
    make_runs()
    dispatcher.tick()

    with django_assert_num_queries(0):
        assert dispatcher.tick() == 0


def test_a_run_is_not_read_ahead_while_an_earlier_copy_awaits_its_confirm(
    committed: None, broker: Broker, make_runs: Any, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I3: as with one batch, the retry goes once, after the confirm of the first message."""
    monkeypatch.setattr("jobs.beat.queue_dispatch._BATCH_MAX", 2)
    dispatcher = Dispatcher()
    dispatcher.tick()
    keys = make_runs(4)
    proxy.hold_answers()
    dispatcher.tick()
    change(keys[0], token=1, attempts=1)
    dispatcher.tick()
    proxy.release()

    tick_until(dispatcher, lambda: all(run(key).dispatched_at for key in keys))
    sent = [(header["key"], header["token"]) for header in broker.runs()]
    assert sorted(sent) == sorted([(str(keys[0]), 1), *((str(key), 0) for key in keys)])
    dispatcher.close()


def test_a_run_whose_row_someone_holds_delays_no_other_and_is_marked_once_it_is_free(
    dispatcher: Dispatcher, broker: Broker, make_runs: Any
) -> None:
    """I3: its message is with the broker, and no second one goes."""
    held, *others = make_runs(3)
    with Elsewhere() as there:
        there.do(sql, "BEGIN")
        there.do(sql, "SELECT FROM jobs_jobrun WHERE scheduled_for = %s FOR UPDATE", held.scheduled_for)
        assert dispatcher.tick() == 2
        later = make_runs(2, ago=5)
        assert dispatcher.tick() == 2
        there.do(sql, "ROLLBACK")
    assert run(held).dispatched_at is None
    assert all(run(key).dispatched_at for key in (*others, *later))

    tick_until(dispatcher, lambda: run(held).dispatched_at)
    assert sorted(header["key"] for header in broker.runs()) == sorted(map(str, [held, *others, *later]))


def test_a_payload_nested_too_deep_to_read_is_dead_and_holds_up_no_other(
    dispatcher: Dispatcher, broker: Broker, make_runs: Any
) -> None:
    deep, other = make_runs(2)
    nested = '{"args": ' + "[" * 3000 + "]" * 3000 + "}"
    sql("UPDATE jobs_jobrun SET payload = %s WHERE scheduled_for = %s", nested, deep.scheduled_for)

    dispatcher.tick()

    assert sql("SELECT status FROM jobs_jobrun WHERE scheduled_for = %s", deep.scheduled_for) == [("dead",)]
    assert [header["key"] for header in broker.runs()] == [str(other)]
