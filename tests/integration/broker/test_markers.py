"""What a broker loses comes again, exactly what it lost, and only when a marker proves it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from jobs.beat.dispatcher import Dispatcher
from jobs.conf import config
from jobs.models import Marker
from jobs.services import mark
from jobs.store.clock import database_now
from jobs.store.unsent import Horizon
from tests.integration.broker.conftest import Broker, at, change, run, tick_until


def marker_of(broker: Broker) -> Marker:
    return Marker.objects.get(queue=broker.queue)


def return_marker(queue: str, *, sent_ago: float = 0) -> None:
    """As if a worker had got a marker that was sent so many seconds ago."""
    sent_at = database_now() - timedelta(seconds=sent_ago)
    Marker.objects.update_or_create(queue=queue, defaults={"sent_at": sent_at})
    mark.record_returned(queue, sent_at)


def clear() -> int:
    return mark.clear_lost(Horizon.hot(database_now()))


def test_each_queue_gets_a_marker_at_once_and_then_at_its_interval(committed: None, broker: Broker) -> None:
    dispatcher = Dispatcher()
    dispatcher.tick()
    dispatcher.tick()
    for queue in broker.queues:
        (message,) = broker.take(queue)
        assert message.headers["jobs-marker"]["queue"] == queue
        assert at(message.headers["jobs-marker"]["sent_at"]) == Marker.objects.get(queue=queue).sent_at

    sent = [item._marker_due_at for item in dispatcher._queues]
    for item in dispatcher._queues:
        item._marker_due_at -= config().marker
    dispatcher.tick()
    assert [broker.depth(queue) for queue in broker.queues] == [1, 1]
    assert [item._marker_due_at for item in dispatcher._queues] > sent
    dispatcher.close()


def test_markers_are_rare_while_none_comes_back(committed: None, broker: Broker) -> None:
    assert mark.record_sent(broker.queue).is_coming_back, "nothing is known yet"
    assert not mark.record_sent(broker.queue).is_coming_back

    mark.record_returned(broker.queue, marker_of(broker).sent_at)
    assert mark.record_sent(broker.queue).is_coming_back


def test_a_marker_that_came_back_is_remembered_and_an_older_one_changes_nothing(
    committed: None, broker: Broker
) -> None:
    mark.record_sent(broker.queue)
    older = marker_of(broker).sent_at
    mark.record_sent(broker.queue)
    newer = marker_of(broker).sent_at
    assert mark.queues_consumed() == dict.fromkeys(config().queues)

    mark.record_returned(broker.queue, newer)
    mark.record_returned(broker.queue, older)

    assert marker_of(broker).returned_sent_at == newer
    assert mark.queues_consumed()[broker.queue] == marker_of(broker).returned_at


def test_a_marker_that_was_never_sent_counts_for_nothing(committed: None, broker: Broker) -> None:
    mark.record_sent(broker.queue)

    mark.record_returned(broker.queue, database_now() + timedelta(hours=1))
    mark.record_returned("test.unknown", database_now())

    assert marker_of(broker).returned_sent_at is None


def test_a_wiped_queue_brings_its_runs_again_once(dispatcher: Dispatcher, broker: Broker, make_runs: Any) -> None:
    """I3"""
    keys = make_runs(5)
    dispatcher.tick()
    for key in keys:
        change(key, dispatched_at=database_now() - timedelta(seconds=40))
    broker.purge()
    assert clear() == 0, "no marker is back, so nothing is known to be lost"

    return_marker(broker.queue)
    dispatcher._lost_looked_for_at = 0
    tick_until(dispatcher, lambda: broker.depth() >= 5)
    dispatcher.tick()

    assert sorted(header["key"] for header in broker.runs()) == sorted(map(str, keys))
    assert clear() == 0


def test_only_what_a_marker_proves_lost_is_cleared(committed: None, broker: Broker, make_runs: Any) -> None:
    now = database_now()
    lost, recent, running, ended, elsewhere = make_runs(5)
    long_ago = now - timedelta(seconds=60)
    for key in (lost, running, ended, elsewhere):
        change(key, dispatched_at=long_ago)
    change(recent, dispatched_at=now - timedelta(seconds=29))
    change(running, status="running", locked_by="0" * 32, locked_until=now)
    change(ended, status="succeeded", finished_at=now)
    change(elsewhere, queue=broker.queues[1])
    return_marker(broker.queue)

    assert clear() == 1

    assert run(lost).dispatched_at is None
    assert all(run(key).dispatched_at for key in (recent, running, ended, elsewhere))


def test_a_marker_sent_before_the_runs_proves_nothing(committed: None, broker: Broker, make_runs: Any) -> None:
    (key,) = make_runs()
    change(key, dispatched_at=database_now() - timedelta(seconds=60))
    return_marker(broker.queue, sent_ago=45)

    assert clear() == 0


def test_a_lost_run_of_an_old_slot_is_found_by_the_sweep(committed: None, broker: Broker, make_runs: Any) -> None:
    from jobs.store.runs import ensure_days

    slot = database_now() - timedelta(days=5)
    ensure_days([slot])
    (key,) = make_runs(ago=5 * 86_400)
    change(key, dispatched_at=database_now() - timedelta(seconds=60))
    return_marker(broker.queue)

    assert clear() == 0
    assert mark.clear_lost(Horizon.whole(database_now())) == 1
