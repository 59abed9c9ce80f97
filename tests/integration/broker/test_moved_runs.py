"""A run that waits goes by its job as it is when it is sent: also to the queue that the job names by then."""

from __future__ import annotations

from typing import Any

import pytest
from celery.app import app_or_default

from jobs.beat.dispatcher import Dispatcher
from jobs.broker.tasks import queue_to_keep
from jobs.conf import DEFAULT_QUEUE, FAST_QUEUE, HTTP_QUEUE
from jobs.domain.states import RunStatus
from jobs.services import dispatch
from jobs.services.dispatch import publish_after_commit
from jobs.services.replay import replay
from jobs.store.clock import database_now
from jobs.store.unsent import Horizon, move_unsent, unsent_runs_by_key
from tests.integration.broker.conftest import Broker, change, run, tick_until
from tests.support.elsewhere import Elsewhere, sql
from tests.support.factories import make_endpoint, make_job


def moving_job(broker: Broker, **fields: Any) -> Any:
    """A job that has left the first queue for the second."""
    return make_job(kind="manual", queue=broker.queues[1], **fields)


def test_runs_whose_job_has_moved_are_sent_to_its_new_queue_with_their_priority(
    dispatcher: Dispatcher, broker: Broker, make_runs: Any
) -> None:
    old, new = broker.queues
    keys = make_runs(3, job=moving_job(broker, priority=1), priority=7)
    (stays,) = make_runs(ago=20)

    tick_until(dispatcher, lambda: all(run(key).dispatched_at for key in [*keys, stays]))

    assert [header["key"] for header in broker.runs(old)] == [str(stays)]
    assert {header["key"] for header in broker.runs(new)} == {str(key) for key in keys}
    assert {(run(key).queue, run(key).priority, run(key).token) for key in keys} == {(new, 7, 0)}


def test_a_replayed_run_goes_to_the_queue_that_its_job_names_now(broker: Broker, make_runs: Any) -> None:
    (key,) = make_runs(job=moving_job(broker))
    change(key, status=RunStatus.DEAD, finished_at=database_now())

    replay(key)

    assert broker.runs(broker.queues[0]) == []
    assert broker.runs(broker.queues[1]) == [{"key": str(key), "token": 1}]


def test_a_run_of_a_job_that_became_a_call_waits_in_the_queue_of_calls(broker: Broker, make_runs: Any) -> None:
    (key,) = make_runs(job=make_job(kind="manual", task="", endpoint=make_endpoint()))
    horizon = Horizon.hot(database_now())
    assert dispatch.select_unsent(broker.queue, limit=5, horizon=horizon) == []
    assert run(key).queue == HTTP_QUEUE
    (sent,) = dispatch.select_by_key([key])
    assert sent.queue == HTTP_QUEUE


def test_a_run_that_changed_since_it_was_read_is_not_moved(broker: Broker, make_runs: Any) -> None:
    claimed, sent, moved, free = make_runs(4)
    rows = unsent_runs_by_key([claimed, sent, moved, free])
    change(claimed, token=1)
    change(sent, dispatched_at=database_now())
    change(moved, queue=broker.queues[1])

    assert move_unsent([(row, FAST_QUEUE) for row in rows]) == 1

    assert [run(key).queue for key in (claimed, sent, moved, free)] == [
        *broker.queues[:1] * 2,
        broker.queues[1],
        FAST_QUEUE,
    ]


def test_what_is_under_way_is_not_moved(broker: Broker, make_runs: Any) -> None:
    """Its message may be in the old queue, waiting for the broker's confirm."""
    (key,) = make_runs(job=moving_job(broker))
    horizon = Horizon.hot(database_now())
    assert dispatch.select_unsent(broker.queue, limit=5, horizon=horizon, but=frozenset([key])) == []
    assert run(key).queue == broker.queue


@pytest.fixture
def fast_task() -> Any:
    app = app_or_default()

    @app.task(name="tests.fast", shared=False)
    def fast() -> None:
        """Does nothing."""

    app.finalize()
    app.tasks["tests.fast"].queue = FAST_QUEUE
    yield
    app.tasks.pop("tests.fast")


def test_a_task_that_this_process_does_not_know_keeps_its_queue_but_for_that_of_calls(fast_task: Any) -> None:
    assert queue_to_keep("team.own", "", "tests.nowhere") == "team.own"
    assert queue_to_keep(HTTP_QUEUE, "", "tests.nowhere") == DEFAULT_QUEUE
    assert queue_to_keep(DEFAULT_QUEUE, "", "tests.fast") == FAST_QUEUE
    assert queue_to_keep(DEFAULT_QUEUE, "team.own", "tests.nowhere") == "team.own"


def test_runs_that_are_where_they_belong_cost_no_statement(
    broker: Broker, make_runs: Any, django_assert_num_queries: Any
) -> None:
    keys = make_runs(3)
    with django_assert_num_queries(1):
        assert len(dispatch.select_by_key(keys)) == 3


def test_the_caller_sends_a_run_that_moved_at_once(broker: Broker, make_runs: Any) -> None:
    (key,) = make_runs(job=moving_job(broker))
    publish_after_commit([key])
    assert broker.runs(broker.queues[1]) == [{"key": str(key), "token": 0}]
    assert run(key).dispatched_at is not None


def test_a_run_that_someone_holds_is_moved_later_and_delays_no_other(broker: Broker, make_runs: Any) -> None:
    held, free = make_runs(2, job=moving_job(broker))
    horizon = Horizon.hot(database_now())
    with Elsewhere() as there:
        there.do(sql, "BEGIN")
        there.do(sql, "SELECT FROM jobs_jobrun WHERE scheduled_for = %s FOR UPDATE", held.scheduled_for)
        assert dispatch.select_unsent(broker.queue, limit=5, horizon=horizon) == []
        there.do(sql, "ROLLBACK")
    assert [run(key).queue for key in (held, free)] == broker.queues
    assert dispatch.select_unsent(broker.queue, limit=5, horizon=horizon) == []
    assert run(held).queue == broker.queues[1]
