"""RabbitMQ is stopped, cut off without a word, out of memory, or missing a queue (I3)."""

from __future__ import annotations

import time

import pytest

from jobs.broker import topology
from tests.crash import scenarios
from tests.crash.harness import faults
from tests.crash.harness.checks import check_all
from tests.crash.harness.live import Live
from tests.crash.harness.load import asked_keys, steady
from tests.support.waiting import let_pass, wait_until

pytestmark = pytest.mark.timeout(300)


def test_b070_b097_a_broker_stopped_for_20_s_repeats_no_run_and_is_found_again(live: Live) -> None:
    """A run of 15 s is under way when it stops, and its message comes again when it is back."""
    live.beats(1)
    live.worker()
    with steady(live) as load:
        live.ask(live.save_job("long", kwargs={"seconds": 15}))
        live.until_started(5)
        with live.servers.broker.gone():
            let_pass(20)
        back = scenarios.until_next_slot(live, time.time())
    print(f"recovered after {back:.1f} s")
    assert back < 15
    check_all(live, load.window, but=("messages",))
    assert live.term() == 1, "the leader leads without a broker"


def test_b097_a_line_that_is_cut_without_a_word_is_given_up_and_made_anew(live: Live) -> None:
    """Both ends find out by their heartbeats, and what was on the way comes again."""
    live.environment["BEATKEEPER_TEST_HEARTBEAT"] = "10"
    line = live.proxy_to("BROKER_URL")
    beat = live.beat(**line.environment)
    worker = live.worker(**line.environment)
    with steady(live) as load:
        live.until_started(5)
        line.lose()
        back = scenarios.until_next_slot(live, time.time(), timeout=120)
    print(f"recovered after {back:.1f} s")
    assert back < 40
    check_all(live, load.window, patience=120)
    line.lose()
    assert [live.end(process) for process in (worker, beat)] == [0, 0], "told to stop on such a line they end as ever"


def test_b096_an_alarm_for_memory_keeps_runs_in_the_database_and_nobody_waiting(live: Live) -> None:
    live.beats(1)
    live.worker()
    with steady(live, by_hand=2) as load:
        live.until_started(5)
        with live.servers.broker.alarmed():
            let_pass(3)  # what is on its way arrives
            before, asked = len(live.lines("started")), len(asked_keys(live))
            let_pass(15)
            assert len(asked_keys(live)) - asked >= 15, "who asks for a run is answered while nothing can be sent"
            assert len(live.lines("started")) - before <= 5, "the alarm was none"
        back = scenarios.until_next_slot(live, time.time())
        print(f"recovered after {back:.1f} s")
    assert live.term() == 1, "the leader renewed all the while"
    assert "publisher.blocked" in live.log_of(live.processes[0]).read_text()
    check_all(live, load.window)


def test_b095_a_deleted_queue_is_told_of_made_again_and_loses_no_run(live: Live) -> None:
    """First with nobody there to consume, then beside a worker, which makes it anew itself."""
    beat, _ = live.beats(1)
    log = live.log_of(beat)
    with steady(live, by_hand=0, kwargs={"seconds": 0.2}) as load:
        wait_until(lambda: _sent(live) >= 5, timeout=20, what="messages in the queue")
        known = len(log.read_text())
        faults.delete_queue(live, "jobs.default")
        wait_until(lambda: "publish.failed" in log.read_text()[known:], timeout=5, what="beat to tell of the queue")
        wait_until(lambda: "jobs.default" in live.servers.broker.queues(live.vhost), timeout=15, what="the queue")
        live.worker()
        load.by_hand(1)
        live.until_started(5)
        faults.delete_queue(live, "jobs.default")
        scenarios.until_next_slot(live, time.time())
    check_all(live, load.window, but=("messages",), patience=120)


def _sent(live: Live) -> int:
    return int(live.sql("SELECT count(*) FROM jobs_jobrun WHERE dispatched_at IS NOT NULL")[0][0])


def test_b119_queues_of_another_release_are_taken_as_they_are_where_only_limits_differ(live: Live) -> None:
    """A limit is a policy, and no argument of the queue: a release that changes it declares the same queue."""
    policy = {"pattern": r"^jobs\.", "apply-to": "queues", "definition": {"delivery-limit": 20, "max-length": 100_000}}
    live.servers.broker.api("PUT", f"/api/policies/{live.vhost}/earlier", policy)
    arguments = {name for queue in topology.queues() for name in queue.queue_arguments}
    assert arguments == {"x-queue-type", "x-dead-letter-exchange"}

    live.beats(1)
    live.worker()
    live.ask(live.save_job("one"))

    live.until_started(1)
    told = "".join(live.log_of(process).read_text() for process in live.processes)
    assert "PRECONDITION_FAILED" not in told
    wait_until(
        lambda: live.servers.broker.queues(live.vhost)["jobs.default"].get("policy") == "earlier", what="the policy"
    )


def test_b119_a_queue_declared_otherwise_ends_the_worker_with_the_mend_and_beat_goes_on(live: Live) -> None:
    faults.delete_queue(live, "jobs.default")
    queue = {"durable": True, "arguments": {"x-queue-type": "quorum", "x-max-length": 10}}
    live.servers.broker.api("PUT", f"/api/queues/{live.vhost}/jobs.default", queue)
    beat, _ = live.beats(1)
    worker = live.celery("worker", "worker", "-Q", "jobs.default", "-c", "1")

    assert wait_until(lambda: worker.poll() is not None, timeout=60, what="the worker to end")
    assert worker.returncode != 0
    told = live.log_of(worker).read_text()
    assert f"rabbitmqctl delete_queue -p {live.vhost} jobs.default" in told
    assert told.count("PRECONDITION_FAILED") <= 2, "it says so once, and does not go round"
    assert beat.poll() is None

    faults.delete_queue(live, "jobs.default")
    live.worker()
    live.ask(live.save_job("one"))
    live.until_started(1)
