"""What cannot be run never ends a worker, and is never lost without a word."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest

from jobs.domain.messages import RUN_HEADER
from tests.support.waiting import wait_until
from tests.support.worker_stack import DEAD, WorkerStack


def test_a_run_of_an_unknown_task_is_put_off_without_an_attempt(shared: WorkerStack) -> None:
    job = shared.stack.save_job("unknown-task", task="nowhere.task")
    key = shared.add_run_of(job)
    shared.publish(key)
    row = shared.until_row(key, lambda row: row.dispatched_at is None)
    # The next token: the mark of the message that was put off, should it come late, finds nothing to mark.
    assert (row.status, row.attempts, row.token) == ("queued", 0, 1)
    assert 10 < (row.run_after - row.due_at).total_seconds() < 20


def test_a_body_that_celery_cannot_call_is_no_success(shared: WorkerStack) -> None:
    """Celery's trace fails before it comes to the body, and calls that a success."""
    key = shared.add_run("returns")
    shared.publish(key, kwargs=[1, 2])
    row = shared.until(key)
    assert (row.status, row.last_error.partition(":")[0]) == ("dead", "InvalidTaskError")


def test_a_run_of_a_task_that_stays_unknown_is_dead_a_quarter_of_an_hour_later(shared: WorkerStack) -> None:
    job = shared.stack.save_job("long-unknown-task", task="nowhere.task")
    key = shared.add_run_of(job)
    shared.update(key, "due_at = due_at - interval '16 min'")
    shared.publish(key)
    row = shared.until(key)
    assert (row.status, row.attempts, row.errors[-1]["kind"]) == ("dead", 0, "unknown_task")


@pytest.mark.parametrize(
    ("body", "change"),
    [
        ("[[], {", {}),
        (b"\xff[[], {}, {}]", {}),
        ("[[], {}, {}]", {"content_type": "application/x-python-serialize"}),
        ("7", {}),
        ("[[], {}, {}]", {"headers": {RUN_HEADER: {"key": "not-a-key"}}}),
        ("[[], {}, {}]", {"headers": {RUN_HEADER: 3}}),
    ],
)
def test_what_cannot_be_read_goes_to_the_dead_letters(
    shared: WorkerStack, body: str | bytes, change: dict[str, Any]
) -> None:
    poison = uuid.uuid4().hex
    headers: dict[str, Any] = {"task": "tests.support.celery_app.returns", "id": poison, "root_id": poison}
    headers[RUN_HEADER] = {"key": "1-1", "token": 0}
    shared.send(body, "jobs.default", **{**change, "headers": {**headers, **change.get("headers", {})}})
    letter = wait_until(lambda: _take_dead(shared, poison), what="the dead letter")
    assert letter.body == body
    assert letter.headers["x-first-death-queue"] == "jobs.default"
    assert letter.headers["x-first-death-reason"] == "rejected"
    assert shared.until(shared.start("returns")).status == "succeeded"


def test_a_marker_that_comes_back_is_noted(shared: WorkerStack) -> None:
    shared.database.execute(
        "INSERT INTO jobs_marker (queue, sent_at) VALUES ('jobs.default', clock_timestamp())"
        " ON CONFLICT (queue) DO UPDATE SET sent_at = excluded.sent_at"
    )
    sent_at = shared.database.execute("SELECT sent_at FROM jobs_marker WHERE queue = 'jobs.default'").fetchone()[0]
    header = {"queue": "jobs.default", "sent_at": sent_at.isoformat()}
    shared.send(
        json.dumps([[], {}, {}]), "jobs.default", headers={"task": "jobs.marker", "id": "m", "jobs-marker": header}
    )
    wait_until(lambda: shared.database.execute("SELECT returned_at FROM jobs_marker").fetchone()[0], what="the marker")


def _take_dead(stack: WorkerStack, message_id: str) -> Any:
    """The dead message of this id; others that stand there are taken away."""
    with stack.broker.channel() as channel:
        while message := channel.basic_get(DEAD, no_ack=True):
            if message.headers["id"] == message_id:
                return message
    return None
