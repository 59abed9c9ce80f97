"""Each shard's dispatcher sends the runs of its own jobs, and one of them what belongs to no shard."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from jobs.beat.dispatcher import Dispatcher
from jobs.conf import config
from jobs.domain.messages import RunKey
from jobs.models import Marker
from jobs.store import state
from jobs.store.unsent import Share
from tests.integration.broker.conftest import Broker, run, tick_until
from tests.support.elsewhere import sql
from tests.support.factories import make_job

SHARDS = 2


@pytest.fixture
def dispatchers(committed: None, broker: Broker, settings: Any) -> Iterator[list[Dispatcher]]:
    """One a shard; their first ticks are done."""
    settings.BEATKEEPER = {**settings.BEATKEEPER, "SHARDS": SHARDS, "DISPATCH_WINDOW": 7}
    config.cache_clear()
    with ExitStack() as ends:
        found = [Dispatcher(Share(shard, SHARDS)) for shard in range(SHARDS)]
        for dispatcher in found:
            ends.callback(dispatcher.close)
            dispatcher.tick()
        yield found


@pytest.fixture
def runs(dispatchers: Any, make_runs: Any) -> dict[int, list[RunKey]]:
    """Five due runs in each shard."""
    jobs = [make_job(kind="manual") for _ in range(SHARDS)]
    return {job.pk % SHARDS: make_runs(5, job=job, ago=10 + job.pk) for job in jobs}


def sent(keys: list[RunKey]) -> int:
    return sum(run(key).dispatched_at is not None for key in keys)


@pytest.mark.parametrize("shard", range(SHARDS))
def test_a_dispatcher_sends_its_own_shard_s_runs_alone_within_its_part_of_the_window(
    dispatchers: list[Dispatcher], broker: Broker, runs: dict[int, list[RunKey]], shard: int
) -> None:
    broker.purge()
    assert [dispatchers[shard].tick() for _ in range(3)] == [3, 0, 0]
    assert sent(runs[shard]) == 3
    assert sent(runs[1 - shard]) == 0
    assert {header["key"] for header in broker.runs()} <= {str(key) for key in runs[shard]}


def test_the_dispatchers_of_all_shards_send_each_run_once(
    dispatchers: list[Dispatcher], broker: Broker, runs: dict[int, list[RunKey]]
) -> None:
    broker.purge()
    assert sum(dispatcher.tick() for dispatcher in dispatchers) == 6
    keys = [header["key"] for header in broker.runs()]
    assert len(keys) == len(set(keys)) == 6


def test_markers_and_what_is_told_of_the_broker_are_the_first_shard_s(
    committed: None, broker: Broker, settings: Any
) -> None:
    settings.BEATKEEPER = {**settings.BEATKEEPER, "SHARDS": SHARDS}
    config.cache_clear()
    second = Dispatcher(Share(1, SHARDS))
    second.tick()
    assert broker.depth() == 0
    assert not Marker.objects.exists()
    assert state.get(state.BROKER) is None
    second.close()
    first = Dispatcher(Share(0, SHARDS))
    first.tick()
    assert broker.depth() == 1
    assert set(Marker.objects.values_list("queue", flat=True)) >= set(broker.queues)
    assert state.get(state.BROKER)["state"] == "connected"
    first.close()


def test_a_lane_that_was_broken_is_probed_by_any_shard_s_dispatcher(
    dispatchers: list[Dispatcher], broker: Broker, runs: dict[int, list[RunKey]]
) -> None:
    second = dispatchers[1]
    assert second.tick() == 3
    sql("UPDATE jobs_jobrun SET status = 'succeeded', finished_at = now() WHERE dispatched_at IS NOT NULL")
    broker.delete()
    assert second.tick() == 0
    tick_until(second, lambda: sent(runs[1]) == 5)
    assert sum("jobs-marker" in message.headers for message in broker.take()) == 1


def test_lost_runs_are_found_by_the_first_shard_s_dispatcher_and_sent_by_their_own(
    dispatchers: list[Dispatcher], broker: Broker, runs: dict[int, list[RunKey]]
) -> None:
    first, second = dispatchers
    second.tick()
    broker.purge()
    sql("UPDATE jobs_jobrun SET dispatched_at = dispatched_at - interval '60 seconds' WHERE dispatched_at IS NOT NULL")
    sql("UPDATE jobs_marker SET returned_sent_at = now(), returned_at = now()")
    second._room = 0
    for dispatcher in dispatchers:
        dispatcher._lost_looked_for_at = 0.0
    second.tick()
    assert broker.depth() == 0, "its own runs are still marked as sent"
    first.tick()
    assert sent(runs[1]) == 0
    assert second.tick() == 3
