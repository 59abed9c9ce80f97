"""HTTP runs through a real worker, from the message to the settled outcome."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs.domain.messages import RUN_HEADER
from jobs.sealing import seal
from jobs.targets.signing import signature
from tests.support.http_runs import SIGNING_SECRET, HttpRuns
from tests.support.http_server import HttpServer, answer, hang, reset, serving, wait_for
from tests.support.stack import stack
from tests.support.waiting import wait_until
from tests.support.worker_stack import WorkerStack

SECRET = "s3cr3t-of-the-endpoint"


@pytest.fixture(scope="module")
def runs(workers: WorkerStack) -> HttpRuns:
    """HTTP runs on a worker that makes calls only."""
    workers.worker("-E", queue="jobs.http", concurrency=20)
    return HttpRuns(workers)


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving(answer("200 OK", b'{"taken": true}', "Content-Type: application/json")) as made:
        yield made


def test_a_run_is_posted_signed_and_settled_with_its_answer(runs: HttpRuns, server: HttpServer) -> None:
    body = {"shop": 7, "run": "{{ run }}", "attempt": "{{ attempt }}"}
    key = runs.start(server.url(), job={"body": body}, sealed_secret=seal(SIGNING_SECRET))
    row = runs.workers.until(key)
    assert (row.status, row.attempts, row.result["status"], row.result["answer"]) == (
        "succeeded",
        1,
        200,
        '{"taken": true}',
    )
    [request] = server.requests
    assert json.loads(request.body) == {"shop": 7, "run": str(key), "attempt": 1}
    assert request.headers["idempotency-key"] == request.headers["webhook-id"] == str(key)
    assert request.headers["beatkeeper-job"] == row.name
    assert request.headers["webhook-signature"] == signature(
        SIGNING_SECRET,
        message_id=str(key),
        timestamp=int(request.headers["webhook-timestamp"]),
        body=request.body,
    )


def test_a_run_s_own_body_replaces_the_job_s(runs: HttpRuns, server: HttpServer) -> None:
    key = runs.start(server.url(), job={"body": {"a": 1}}, run={"payload": json.dumps({"body": [2]})})
    assert runs.workers.until(key).status == "succeeded"
    assert json.loads(server.requests[0].body) == [2]


def test_b139_each_attempt_carries_the_same_key_and_waits_as_long_as_it_was_asked_to(
    runs: HttpRuns, server: HttpServer
) -> None:
    server.behave = answer("503 Service Unavailable", b"later", "Retry-After: 40")
    key = runs.start(server.url())
    row = runs.workers.until_tried(key)
    assert (row.status, row.errors[0]["type"], row.result["status"]) == ("queued", "HTTP 503", 503)
    waits = (row.run_after - row.started_at).total_seconds()
    assert 40 <= waits < 45
    server.behave = answer()
    runs.workers.again(key)
    assert runs.workers.until(key).status == "succeeded"
    assert [(item.headers["idempotency-key"], item.headers["beatkeeper-attempt"]) for item in server.requests] == [
        (str(key), "1"),
        (str(key), "2"),
    ]


def test_b139_a_retry_after_counts_no_further_than_the_job_s_cap(runs: HttpRuns, server: HttpServer) -> None:
    server.behave = answer("429 Too Many Requests", b"", "Retry-After: 86400")
    row = runs.workers.until_tried(runs.start(server.url(), job={"backoff_cap_seconds": 20}))
    assert 20 <= (row.run_after - row.started_at).total_seconds() < 25


@pytest.mark.parametrize("status", ["404 Not Found", "302 Found", "410 Gone"])
def test_b139_a_refusal_is_dead_at_once(runs: HttpRuns, server: HttpServer, status: str) -> None:
    server.behave = answer(status, b"no", f"Location: {server.url()}")
    row = runs.workers.until(runs.start(server.url()))
    assert (row.status, row.attempts, row.errors[0]["type"]) == ("dead", 1, f"HTTP {status[:3]}")
    assert row.result["location"] == server.url()
    assert f'Location "{server.url()}"' in row.errors[0]["message"]
    assert len(server.requests) == 1


def test_a_call_past_its_deadline_is_tried_again_and_an_at_most_once_run_is_dead(
    runs: HttpRuns, server: HttpServer
) -> None:
    server.behave = hang()
    key = runs.start(server.url(), timeout_seconds=1)
    once = runs.start(server.url(), timeout_seconds=1, job={"delivery": "at_most_once"})
    row = runs.workers.until_tried(key)
    assert (row.status, row.errors[0]["kind"]) == ("queued", "timed_out")
    assert runs.workers.until(once).status == "dead"


def test_a_call_that_breaks_off_is_tried_again_and_an_at_most_once_run_is_dead(
    runs: HttpRuns, server: HttpServer
) -> None:
    """The endpoint may have acted: only what was never sent may be sent again."""
    server.behave = reset()
    row = runs.workers.until_tried(runs.start(server.url()))
    assert (row.status, row.errors[0]["kind"], row.errors[0]["type"]) == ("queued", "broken_off", "ConnectionFailed")
    unreached = server.url()
    once = runs.start(unreached, job={"delivery": "at_most_once"})
    assert runs.workers.until(once).status == "dead"
    server.close()
    refused = runs.start(unreached, job={"delivery": "at_most_once"})
    assert runs.workers.until_tried(refused).status == "queued"


def test_an_at_most_once_call_is_not_sent_again_over_a_new_connection(runs: HttpRuns, server: HttpServer) -> None:
    """curl would, where a connection kept from an earlier call turns out dead."""
    assert runs.workers.until(runs.start(server.url())).status == "succeeded"
    server.behave = reset()
    once = runs.start(server.url(), job={"delivery": "at_most_once"})
    assert runs.workers.until(once).status == "dead"
    assert len(server.requests) == 2


def test_b136_an_address_that_is_not_allowed_is_never_dialled(runs: HttpRuns) -> None:
    with serving(answer(), host="127.0.0.2") as forbidden:
        row = runs.workers.until_tried(runs.start(forbidden.url("127.0.0.2")))
        assert (row.status, row.errors[0]["type"]) == ("queued", "AddressRefused")
        assert "EGRESS_ALLOW" in row.errors[0]["message"]
        assert forbidden.hits == 0


def test_a_disabled_endpoint_is_not_called(runs: HttpRuns, server: HttpServer) -> None:
    row = runs.workers.until(runs.start(server.url(), enabled=False))
    assert (row.status, row.errors[0]["type"], server.hits) == ("dead", "EndpointDisabled", 0)


def test_secrets_that_no_key_opens_fail_the_attempt_and_say_so(runs: HttpRuns, server: HttpServer) -> None:
    row = runs.workers.until_tried(runs.start(server.url(), sealed_secret="gAAAA-sealed-elsewhere"))
    assert (row.status, row.errors[0]["type"], server.hits) == ("queued", "UnreadableSecret", 0)


def test_an_endpoint_that_moved_is_called_at_its_new_place_by_the_next_attempt(
    runs: HttpRuns, server: HttpServer
) -> None:
    server.behave = answer("500 Oops")
    key = runs.start(server.url())
    runs.workers.until_tried(key)
    with serving(answer()) as other:
        runs.workers.stack.sql(
            "UPDATE jobs_endpoint SET url = %s WHERE id = (SELECT endpoint_id FROM jobs_job WHERE id = %s)",
            other.url(),
            key.job_id,
        )
        runs.workers.again(key)
        assert runs.workers.until(key).status == "succeeded"
        assert len(other.requests) == 1


def test_a_running_call_asked_to_cancel_is_ended(runs: HttpRuns, server: HttpServer) -> None:
    server.behave = hang()
    key = runs.start(server.url(), timeout_seconds=120)
    wait_until(lambda: server.requests, what="the call")
    runs.workers.update(key, "cancel_requested_at = clock_timestamp()")
    row = runs.workers.until(key)
    assert (row.status, row.attempts) == ("cancelled", 1)


def test_a_worker_whose_lease_was_taken_over_ends_the_call_and_writes_nothing(
    runs: HttpRuns, server: HttpServer
) -> None:
    """I4: the row is another worker's now."""
    gate = threading.Event()
    server.behave = wait_for(gate, answer())
    key = runs.start(server.url(), timeout_seconds=120)
    wait_until(lambda: server.requests, what="the call")
    runs.workers.update(
        key, "token = token + 1, locked_by = %s, locked_until = clock_timestamp() + interval '1 h'", uuid.uuid4()
    )
    wait_until(lambda: f"run.lease_lost run={key}" in _logs(runs), what="the loss to be told")
    gate.set()
    row = runs.workers.row(key)
    assert (row.status, row.token, row.result, row.errors) == ("running", 2, None, [])


def test_a_lost_broker_ends_no_call(runs: HttpRuns, server: HttpServer) -> None:
    gate = threading.Event()
    server.behave = wait_for(gate, answer())
    key = runs.start(server.url(), timeout_seconds=120)
    wait_until(lambda: server.requests, what="the call")
    runs.workers.close_connections()
    gate.set()
    assert runs.workers.until(key).status == "succeeded"
    later = runs.start(server.url())
    assert runs.workers.until(later, timeout=30).status == "succeeded"
    assert len(server.requests) == 2


def test_a_python_task_does_not_run_in_a_worker_of_calls(runs: HttpRuns) -> None:
    key = runs.workers.start("returns", queue="jobs.http")
    row = runs.workers.until_tried(key)
    assert (row.status, row.errors[0]["type"]) == ("queued", "NotAnHTTPRunError")
    assert not runs.workers.effects(key)


@pytest.mark.parametrize("counted", [{}, {"losses": 1}])
def test_a_call_whose_job_left_its_endpoint_for_a_task_is_handed_back_and_spends_no_attempt(
    runs: HttpRuns, server: HttpServer, counted: dict[str, int]
) -> None:
    """The message that follows names the task, and the queue of it."""
    key = runs.add(server.url(), run={"max_attempts": 1, **counted})
    runs.workers.stack.sql(
        "UPDATE jobs_job SET endpoint_id = NULL, task = 'tests.support.celery_app.noop' WHERE id = %s", key.job_id
    )
    token = runs.workers.row(key).token
    runs.workers.publish(key, task="jobs.http", **{RUN_HEADER: {"key": str(key), "token": token}})
    row = runs.workers.until_row(key, lambda row: row.token == token + 1 and row.status != "running")
    assert (row.status, row.attempts, row.errors, row.dispatched_at, server.hits) == ("queued", 0, [], None, 0)
    wait_until(lambda: runs.workers.messages_left("jobs.http") == 0, what="the message to be acknowledged")


def test_a_call_edited_into_a_task_while_it_waits_for_its_retry_runs_as_that_task(
    tmp_path: Path, server: HttpServer
) -> None:
    server.behave = answer("503 Busy", b"", "Retry-After: 2")
    with stack(tmp_path) as made:
        workers = WorkerStack(made)
        workers.worker(queue="jobs.http", concurrency=5)
        workers.worker()
        key = HttpRuns(workers).start(server.url(), run={"max_attempts": 2, "priority": 3})
        assert workers.until_tried(key).status == "queued"
        made.sql(
            "UPDATE jobs_job SET endpoint_id = NULL, task = 'tests.support.celery_app.noop' WHERE id = %s", key.job_id
        )
        made.beat()
        row = workers.until(key, timeout=40)
        assert (row.status, row.attempts, row.queue, row.priority) == ("succeeded", 2, "jobs.default", 3)
        workers.close()


def test_an_http_run_in_a_pool_of_processes_is_a_call_of_its_child(
    runs: HttpRuns, shared: WorkerStack, server: HttpServer
) -> None:
    row = shared.until(runs.start(server.url(), run={"queue": "jobs.default"}))
    assert (row.status, row.result["status"]) == ("succeeded", 200)


def test_sigterm_lets_a_call_end_and_exits_in_peace(tmp_path: Path, server: HttpServer) -> None:
    gate = threading.Event()
    server.behave = wait_for(gate, answer())
    with stack(tmp_path) as made:
        workers = WorkerStack(made)
        process = workers.worker(queue="jobs.http", concurrency=20)
        key = HttpRuns(workers).start(server.url(), timeout_seconds=60)
        wait_until(lambda: server.requests, what="the call")
        process.terminate()
        wait_until(lambda: "Warm shutdown" in made.log_of(process).read_text(), what="the signal to be heard")
        gate.set()
        assert process.wait(30) == 0
        assert (workers.row(key).status, workers.row(key).attempts) == ("succeeded", 1)
        workers.close()


def test_b154_secrets_stand_in_no_row_no_message_and_no_log(runs: HttpRuns, server: HttpServer) -> None:
    """A run that succeeds, one that is tried again, one that dies; the endpoint quotes what it was sent."""
    echo = f'{{"you sent": "Bearer {SECRET}", "password": "{SECRET}"}}'.encode()
    secrets = {"Authorization": f"Bearer {SECRET}"}
    job = {"body": {"password": SECRET}}
    keys = []
    for status in ("200 OK", "503 Busy", "400 Bad"):
        server.behave = answer(status, echo, "Content-Type: application/json", f"Set-Cookie: s={SECRET}")
        keys.append(runs.start(server.url(), secret_headers=secrets, job=job))
        runs.workers.until_row(keys[-1], lambda row: row.attempts == 1 and row.status != "running")
    assert [item.headers["authorization"] for item in server.requests] == [f"Bearer {SECRET}"] * 3
    rows = runs.workers.stack.sql("SELECT row_to_json(run)::text FROM jobs_jobrun run")
    endpoints = runs.workers.stack.sql("SELECT row_to_json(e)::text FROM jobs_endpoint e")
    assert not any(SECRET in text for (text,) in [*rows, *endpoints])
    assert SECRET not in _logs(runs)


def _logs(runs: HttpRuns) -> str:
    return b"".join(path.read_bytes() for path in runs.workers.stack.folder.glob("*.log")).decode(errors="replace")
