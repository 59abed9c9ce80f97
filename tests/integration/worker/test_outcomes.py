"""Every way a body can end, with a real prefork worker: the outcome table, row by row."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.support.waiting import wait_until
from tests.support.worker_stack import PREFIX, WorkerStack


def last(row: Any) -> dict[str, Any]:
    """The newest entry of the attempt history."""
    return dict(row.errors[-1])


def waited(row: Any) -> float:
    """Seconds from the end of the attempt to the next."""
    return (row.run_after - datetime.fromisoformat(last(row)["at"])) / timedelta(seconds=1)


def test_a_returned_value_is_the_result(shared: WorkerStack) -> None:
    row = shared.until(shared.start("returns", {"a": [1, None]}))
    assert (row.status, row.result, row.attempts, row.errors) == ("succeeded", {"a": [1, None]}, 1, [])
    assert row.started_at <= row.finished_at
    assert (row.token, row.locked_by, row.locked_until) == (1, None, None)


def test_an_exception_that_cannot_be_pickled_is_told_and_judged_as_itself(shared: WorkerStack) -> None:
    """Celery hands a stand-in on, whose type says nothing and which no ``dont_autoretry_for`` names."""
    row = shared.until(shared.start("fails_in_its_own_way"))
    assert (row.status, row.attempts, row.errors[0]["kind"]) == ("dead", 1, "rejected")
    assert row.last_error == "tests.support.celery_app.OwnError: 7: out of paper"


def test_an_exception_is_retried_and_leaves_its_traceback(shared: WorkerStack) -> None:
    row = shared.until_tried(shared.start("fails"))
    assert (row.status, row.dispatched_at, row.start_by) == ("queued", None, None)
    assert last(row)["kind"] == "failed"
    assert last(row)["attempt"] == 1
    assert last(row)["traceback"].rstrip().endswith("RuntimeError: told to fail")
    assert row.last_error == "RuntimeError: told to fail"
    assert 0 <= waited(row) <= 1


def test_a_traceback_is_logged_once(shared: WorkerStack) -> None:
    """By Celery, in the child, as for every task; the event that follows is one line."""
    shared.until(shared.start("fails", "told uniquely", job={"max_attempts": 1}))
    logs = [path.read_text().splitlines() for path in shared.stack.folder.glob("*.log")]
    lines = [line for log in logs for line in log if "told uniquely" in line]
    for words in ("raised unexpected", "run.settled", "\nRuntimeError: told uniquely"):
        assert sum(words in f"\n{line}" for line in lines) == 1
    assert len(lines) == 3


def test_attempts_go_on_under_the_same_key_until_one_succeeds(shared: WorkerStack) -> None:
    key = shared.start("fails_until", 3)
    for attempt in (1, 2):
        shared.until_tried(key, attempt)
        shared.again(key)
    row = shared.until(key)
    assert row.result == {"retries": 2, "attempt": 3, "key": str(key), "job": row.name}
    assert [entry["attempt"] for entry in row.errors] == [1, 2]
    assert (row.status, row.attempts, row.last_error) == ("succeeded", 3, "")


def test_the_last_failed_attempt_is_dead(shared: WorkerStack) -> None:
    row = shared.until(shared.start("fails", job={"max_attempts": 1}))
    assert (row.status, row.attempts, row.last_error) == ("dead", 1, "RuntimeError: told to fail")


def test_a_soft_limit_is_an_exception_unless_it_is_caught(shared: WorkerStack) -> None:
    uncaught, caught = shared.start("sleeps_softly"), shared.start("sleeps_softly", True)
    assert last(shared.until_tried(uncaught))["type"].endswith("SoftTimeLimitExceeded")
    assert shared.until(caught).result == "caught"


def test_a_memory_error_is_an_ordinary_failure_and_the_worker_lives_on(shared: WorkerStack) -> None:
    assert last(shared.until_tried(shared.start("out_of_memory")))["type"] == "MemoryError"
    assert shared.until(shared.start("returns")).status == "succeeded"


def test_a_retry_comes_at_its_countdown(shared: WorkerStack) -> None:
    row = shared.until_tried(shared.start("asks_to_retry", 30))
    assert (row.status, last(row)["kind"], last(row)["type"]) == ("queued", "retry", "RuntimeError")
    assert waited(row) == pytest.approx(30, abs=0.1)


def test_a_retry_is_dead_once_its_own_limit_is_reached(shared: WorkerStack) -> None:
    key = shared.start("asks_to_retry", 0, 1)
    shared.until_tried(key, 1)
    shared.again(key)
    row = shared.until(key)
    assert (row.status, row.attempts, row.max_attempts) == ("dead", 2, 5)


def test_autoretry_waits_by_its_own_backoff_which_grows_with_the_attempts(shared: WorkerStack) -> None:
    key = shared.start("autoretries")
    for attempt, expected in ((1, 7), (2, 14), (3, 28)):
        row = shared.until_tried(key, attempt)
        assert waited(row) == pytest.approx(expected, abs=0.1)
        shared.again(key)


def test_an_error_excluded_from_autoretry_is_dead_at_once(shared: WorkerStack) -> None:
    row = shared.until(shared.start("autoretries", True))
    assert (row.status, row.attempts, last(row)["type"]) == ("dead", 1, "KeyError")


def test_a_body_past_its_hard_limit_is_killed_and_retried(shared: WorkerStack) -> None:
    row = shared.until_tried(shared.start("sleeps_hard"))
    assert (row.status, last(row)["kind"]) == ("queued", "timed_out")


@pytest.mark.parametrize("how", ["kill", "exit", "system_exit"])
def test_a_lost_child_is_retried_with_a_pause(shared: WorkerStack, how: str) -> None:
    key = shared.start("dies", how, job={"backoff_base_seconds": 300, "backoff_cap_seconds": 300, "jitter": "none"})
    row = shared.until_tried(key)
    assert (row.status, last(row)["kind"], row.losses) == ("queued", "worker_lost", 0)
    assert 1 <= waited(row) <= 1.5
    assert len(shared.effects(key)) == 1


def test_an_at_most_once_run_whose_child_is_lost_is_dead(shared: WorkerStack) -> None:
    row = shared.until(shared.start("dies", "kill", job={"delivery": "at_most_once"}))
    assert (row.status, row.attempts) == ("dead", 1)


def test_ignore_succeeds_and_is_noted(shared: WorkerStack) -> None:
    row = shared.until(shared.start("ignores"))
    assert (row.status, last(row)["kind"], row.last_error) == ("succeeded", "ignored", "")


def test_reject_with_requeue_is_retried_and_without_is_dead(shared: WorkerStack) -> None:
    requeued, rejected = shared.start("rejects", True), shared.start("rejects", False)
    assert shared.until_tried(requeued).status == "queued"
    row = shared.until(rejected)
    assert (row.status, last(row)["kind"]) == ("dead", "rejected")


def test_a_replaced_task_succeeds_and_its_replacement_is_ordinary(shared: WorkerStack) -> None:
    assert shared.until(shared.start("is_replaced")).status == "succeeded"
    assert shared.until(shared.start("starts_others")).status == "succeeded"
    shared.worker(queue="celery", concurrency=1)
    wait_until(lambda: len(shared.effects(word="chained:clean")) == 2, what="the chain")
    shared.until_effect("replacement:clean")


def test_an_ordinary_task_beside_runs_is_left_to_celery(shared: WorkerStack) -> None:
    headers = {"lang": "py", "task": PREFIX + "ordinary_retry", "id": "ordinary-1", "root_id": "ordinary-1"}
    shared.send("[[], {}, {}]", "jobs.default", headers={**headers, "retries": 0, "ignore_result": True})
    shared.until_effect("ordinary:1")
    assert len(shared.effects(word="ordinary:0")) == 1
