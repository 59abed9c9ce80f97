"""A worker that is told to stop."""

from __future__ import annotations

import signal

from tests.support.waiting import wait_until
from tests.support.worker_stack import WorkerStack

QUEUE = "jobs.fast"


def test_sigterm_finishes_what_runs_hands_back_what_waits_and_exits_0(workers: WorkerStack) -> None:
    process = workers.worker("--prefetch-multiplier", "10", queue=QUEUE, concurrency=1)
    running = workers.start("sleeps", 4, queue=QUEUE)
    workers.until_effect("begins", running)
    waiting = [workers.start("returns", queue=QUEUE, job={"delivery": kind}) for kind in _DELIVERIES]
    for key in waiting:
        workers.until(key, "running")
    assert workers.stop_worker(process) == 0
    row = workers.row(running)
    assert (row.status, row.result, row.attempts) == ("succeeded", "slept", 1)
    for key in waiting:
        row = workers.row(key)
        assert (row.status, row.attempts, row.dispatched_at, row.locked_by) == ("queued", 0, None, None)
    wait_until(lambda: workers.messages_left(QUEUE) == len(waiting), what="the unacknowledged messages")
    second = workers.worker(queue=QUEUE, concurrency=1)
    for key in waiting:
        workers.publish(key)
        assert workers.until(key).attempts == 1
    assert workers.stop_worker(second) == 0


_DELIVERIES = ("at_least_once", "at_most_once", "at_least_once")


def test_a_worker_told_to_stop_at_once_gives_its_run_back(workers: WorkerStack) -> None:
    process = workers.worker(queue=QUEUE, concurrency=1)
    key = workers.start("sleeps", 60, queue=QUEUE)
    workers.until_effect("begins", key)
    process.send_signal(signal.SIGQUIT)
    process.wait(20)
    row = workers.row(key)
    assert (row.status, row.errors[-1]["kind"]) == ("queued", "interrupted")


def test_a_thread_pool_runs_cooperative_bodies_and_tells_them_of_a_cancel(workers: WorkerStack) -> None:
    process = workers.worker("-P", "threads", queue=QUEUE, concurrency=4)
    keys = [workers.start("waits_to_be_asked", queue=QUEUE) for _ in range(2)]
    exits = workers.start("dies", "system_exit", queue=QUEUE)
    failing = workers.start("asks_to_retry", 9, queue=QUEUE)
    for key in keys:
        workers.until_effect("begins", key)
        workers.update(key, "cancel_requested_at = clock_timestamp()")
    for key in keys:
        assert workers.until(key).result == "asked"
    assert workers.until_tried(exits).errors[-1]["kind"] == "worker_lost"
    assert workers.until_tried(failing).errors[-1]["kind"] == "retry"
    assert workers.stop_worker(process) == 0
