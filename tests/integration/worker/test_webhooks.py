"""Webhooks with a beat and a worker as processes: from the end of a run to the receiver."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from jobs.domain.messages import RunKey
from jobs.sealing import seal
from jobs.targets.signing import signature
from tests.support.http_runs import SIGNING_SECRET, HttpRuns
from tests.support.http_server import HttpServer, Request, answer, serving
from tests.support.stack import stack
from tests.support.waiting import wait_until
from tests.support.worker_stack import WorkerStack

NAME = "system.webhook"


class Hooks:
    """Runs whose end is told, and the runs that tell it."""

    def __init__(self, workers: WorkerStack) -> None:
        self.workers = workers
        self.runs = HttpRuns(workers)
        workers.worker()
        workers.stack.beat(DJANGO_SETTINGS_MODULE="tests.support.quick_lease_settings")
        fields = {"source": "system", "backoff_base_seconds": 0.1, "backoff_cap_seconds": 20.0}
        self.job_id = workers.stack.save_job(NAME, task="jobs.webhook", **fields)

    def endpoint(self, url: str, **fields: Any) -> int:
        return self.runs.endpoint(url, sealed_secret=seal(SIGNING_SECRET), **fields)

    def start(self, task: str, *args: Any, webhook_id: int, **run: Any) -> RunKey:
        """A run that beat sends to the worker, and whose end is told."""
        return self.workers.add_run(task, *args, webhook_id=webhook_id, **run)

    def telling(self, key: RunKey, count: int = 1) -> RunKey:
        """The newest webhook of this run, as soon as there are so many."""
        query = "SELECT scheduled_for FROM jobs_jobrun WHERE job_id = %s AND payload #>> '{kwargs,run}' = %s ORDER BY 1"

        def found() -> Any:
            rows = self.workers.stack.sql(query, self.job_id, str(key))
            return rows if len(rows) == count else None

        return RunKey(self.job_id, wait_until(found, 20, f"{count} webhooks of {key}")[-1][0])

    def told(self, key: RunKey, count: int = 1) -> Any:
        """The row of that webhook when it has ended."""
        return self.workers.until(self.telling(key, count), timeout=30)


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hooks]:
    with stack(tmp_path_factory.mktemp("hooks")) as made:
        driver = WorkerStack(made)
        try:
            yield Hooks(driver)
        finally:
            driver.close()


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving(answer("200 OK", b"thanks")) as made:
        yield made


def event(request: Request) -> Any:
    """The event of a request whose signature is right."""
    headers = request.headers
    assert headers["webhook-signature"] == signature(
        SIGNING_SECRET,
        message_id=headers["webhook-id"],
        timestamp=int(headers["webhook-timestamp"]),
        body=request.body,
    )
    assert "." not in headers["webhook-id"]
    return json.loads(request.body)


def test_an_end_is_told_with_the_operation_as_the_api_gives_it(hooks: Hooks, server: HttpServer) -> None:
    result = {"left": "as it is: {{ run }}"}
    key = hooks.start("returns", result, webhook_id=hooks.endpoint(server.url()))
    webhook = hooks.told(key)
    run = hooks.workers.row(key)
    assert (webhook.status, webhook.result["status"], webhook.result["answer"]) == ("succeeded", 200, "thanks")
    [request] = server.requests
    told = event(request)
    assert told["type"] == "run.succeeded"
    assert told["timestamp"] == told["data"]["metadata"]["finished_at"]
    assert (told["data"]["name"], told["data"]["done"]) == (f"op_{key}", True)
    assert told["data"]["response"] == {"run": str(key), "result": result}
    assert (told["data"]["metadata"]["job"], told["data"]["metadata"]["attempts"]) == (run.name, 1)
    assert request.headers["webhook-id"] == request.headers["idempotency-key"] == f"{key}-{run.token}"
    assert request.headers["beatkeeper-job"] == run.name


def test_a_receiver_that_is_busy_gets_the_same_event_again(hooks: Hooks, server: HttpServer) -> None:
    server.behave = answer("503 Service Unavailable", b"later", "Retry-After: 1")
    key = hooks.start("fails", webhook_id=hooks.endpoint(server.url()), max_attempts=1)
    waiting = hooks.workers.until_row(hooks.telling(key), lambda row: row.attempts and row.status == "queued")
    assert (waiting.errors[0]["type"], waiting.result["status"]) == ("HTTP 503", 503)
    assert (waiting.run_after - waiting.started_at).total_seconds() >= 1
    server.behave = answer()
    assert hooks.told(key).status == "succeeded"
    first, *others = server.requests
    assert len(others) >= 1
    for again in others:
        assert again.headers["webhook-id"] == first.headers["webhook-id"]
        assert event(again) == event(first)
    told = event(first)
    assert told["type"] == "run.dead"
    assert told["data"]["error"] == {"code": "dead", "message": "RuntimeError: told to fail"}


def test_a_refused_event_is_dead_at_once_and_keeps_its_id_over_a_replay(hooks: Hooks, server: HttpServer) -> None:
    server.behave = answer("404 Not Found", b"no such hook")
    key = hooks.start("noop", webhook_id=hooks.endpoint(server.url()))
    webhook = hooks.told(key)
    assert (webhook.status, webhook.attempts, webhook.errors[0]["type"]) == ("dead", 1, "HTTP 404")
    server.behave = answer()
    hooks.workers.stack.manage("jobs", "replay", str(hooks.telling(key)))
    wait_until(lambda: hooks.told(key).status == "succeeded", 20)
    first, again = server.requests
    assert first.headers["webhook-id"] == again.headers["webhook-id"]


def test_the_end_after_a_replay_is_an_event_of_its_own(hooks: Hooks, server: HttpServer) -> None:
    key = hooks.start("fails_until", 2, webhook_id=hooks.endpoint(server.url()), max_attempts=1)
    assert hooks.told(key).status == "succeeded"
    hooks.workers.stack.manage("jobs", "replay", str(key))
    assert hooks.told(key, 2).status == "succeeded"
    assert [event(request)["type"] for request in server.requests] == ["run.dead", "run.succeeded"]
    assert len({request.headers["webhook-id"] for request in server.requests}) == 2


def test_an_event_that_a_replay_has_overtaken_is_not_told(hooks: Hooks, server: HttpServer) -> None:
    endpoint = hooks.endpoint(server.url())
    key = hooks.start("noop", webhook_id=endpoint)
    hooks.told(key)
    kwargs = {"run": str(key), "end": hooks.workers.row(key).token - 1, "endpoint": endpoint}
    late = hooks.workers.add_run_of(hooks.job_id, payload=json.dumps({"kwargs": kwargs}))
    row = hooks.workers.until(late)
    assert (row.status, row.errors[0]["kind"]) == ("succeeded", "ignored")
    assert "was queued again meanwhile" in row.errors[0]["message"]
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("UPDATE jobs_endpoint SET enabled = false WHERE id = %s", "EndpointDisabled"),
        ("DELETE FROM jobs_endpoint WHERE id = %s", "EndpointGone"),
    ],
)
def test_without_an_endpoint_to_call_a_webhook_is_dead_and_says_why(
    hooks: Hooks, server: HttpServer, change: str, reason: str
) -> None:
    endpoint = hooks.endpoint(server.url())
    hooks.workers.stack.sql(change, endpoint)
    webhook = hooks.told(hooks.start("noop", webhook_id=endpoint))
    assert (webhook.status, webhook.attempts, webhook.errors[0]["type"]) == ("dead", 1, reason)
    assert server.hits == 0


def test_a_webhook_of_a_run_that_is_no_longer_kept_is_dead_and_says_why(hooks: Hooks, server: HttpServer) -> None:
    kwargs = {"run": "1-1", "end": 1, "endpoint": hooks.endpoint(server.url())}
    row = hooks.workers.until(hooks.workers.add_run_of(hooks.job_id, payload=json.dumps({"kwargs": kwargs})))
    assert (row.status, row.errors[0]["type"]) == ("dead", "RunGone")


def test_an_address_that_is_not_allowed_is_never_dialled(hooks: Hooks) -> None:
    with serving(answer(), host="127.0.0.2") as forbidden:
        webhook = hooks.told(hooks.start("noop", webhook_id=hooks.endpoint(forbidden.url("127.0.0.2"))))
        assert (webhook.status, webhook.errors[-1]["type"]) == ("dead", "AddressRefused")
        assert forbidden.hits == 0


def test_secrets_are_in_no_payload_and_no_log(hooks: Hooks, server: HttpServer) -> None:
    secret = f"s3cr3t-{uuid.uuid4().hex}"
    server.behave = answer("400 Bad Request", f"you said {secret}".encode())
    endpoint = hooks.endpoint(server.url(), secret_headers={"X-Key": secret})
    webhook = hooks.told(hooks.start("noop", webhook_id=endpoint))
    assert server.requests[0].headers["x-key"] == secret
    everything = json.dumps([webhook.payload, webhook.errors, webhook.result]) + webhook.last_error
    for log in hooks.workers.stack.folder.glob("*.log"):
        everything += log.read_text()
    assert secret not in everything
    assert SIGNING_SECRET not in everything
