"""The client and ``jobs --server`` with a real server and a real worker."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest

from jobs.client import (
    ChangedError,
    Client,
    ConflictError,
    InvalidRequestError,
    NotFoundError,
    OperationFailedError,
    OperationOpenError,
    UnknownTokenError,
)
from tests.support.stack import ROOT
from tests.support.web import Web

BODY = "tests.support.bodies.body"
FAR = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture
def client(server: Web) -> Iterator[Client]:
    with Client(server.url, server.token) as made:
        yield made


@pytest.fixture(scope="module")
def worker(server: Web) -> Iterator[None]:
    process = server.stack.worker("jobs.default", concurrency=1)
    yield
    server.stack.end(process)


def job(client: Client, **fields: Any) -> str:
    """A new manual job's name."""
    name = f"client-{random.randrange(10**9)}"
    return client.create_job(name, "manual", **{"task": BODY, "kwargs": {"seconds": 0}, **fields}).name


def command(server: Web, *arguments: str, remotely: bool = True) -> subprocess.CompletedProcess[str]:
    """``manage.py jobs``, of the server from a machine whose database is elsewhere, or where the database is."""
    environment = {**server.stack.environment, "BEATKEEPER_TOKEN": server.token}
    if remotely:
        environment["DATABASE_URL"] = "postgresql://nobody@127.0.0.1:9/nowhere"
    options = ("--server", server.url) if remotely else ()
    line = [sys.executable, "manage.py", "jobs", *options, *arguments]
    return subprocess.run(line, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)


def documents(server: Web, *arguments: str, remotely: bool = True) -> list[Any]:
    done = command(server, *arguments, "--json", remotely=remotely)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def runs_of(server: Web, name: str) -> int:
    query = "SELECT count(*) FROM jobs_jobrun r JOIN jobs_job j ON j.id = r.job_id WHERE j.name = %s"
    return int(server.stack.sql(query, name)[0][0])


def test_run_and_wait_gives_the_result_of_a_real_worker(client: Client, worker: None) -> None:
    name = job(client)
    assert client.run_and_wait(name, kwargs={"seconds": 0.2}, timeout=60) == {"slept": 0.2}
    (run,) = client.runs(name)
    assert (run.status, run.result, client.run_of(run.run).attempts) == ("succeeded", {"slept": 0.2}, 1)
    assert run in list(client.runs(status="succeeded"))


def test_run_and_wait_fails_with_the_error_and_the_run_can_be_retried(client: Client, worker: None) -> None:
    name = job(client, max_attempts=1)
    with pytest.raises(OperationFailedError, match="told to fail") as caught:
        client.run_and_wait(name, kwargs={"fails": True}, timeout=60)
    assert caught.value.code == "dead"
    operation = client.operation(caught.value.name)
    (group,) = [group for group in client.dead_groups() if group.newest_run == operation.run]
    assert operation.run in {run.run for run in client.dead_runs(group.group)}
    again = client.retry(operation.run).wait(60)
    assert again.error is not None
    assert client.replay([again.run]).replayed == 1
    assert client.wait(again, 60).error is not None


def test_a_wait_ends_in_time_and_the_run_goes_on(client: Client) -> None:
    operation = client.run(job(client), delay=3600)
    with pytest.raises(OperationOpenError, match="queued"):
        operation.wait(0.3)
    assert client.cancel(operation.run).status == "cancelled"
    with pytest.raises(OperationFailedError, match="cancelled"):
        operation.wait().raise_for_error()


def test_a_job_is_made_changed_paused_resumed_and_archived(client: Client) -> None:
    name = job(client, description="first")
    made = client.job(name)
    edited = client.edit_job(name, etag=made.etag, description="second", start_at=FAR)
    assert edited.document["description"] == "second"
    with pytest.raises(ChangedError):
        client.edit_job(name, etag=made.etag, description="third")
    assert client.pause(name, reason="why").state == "paused"
    assert client.resume(name).state != "paused"
    assert name in {found.name for found in client.jobs(prefix=name[:8], page_size=2)}
    client.archive_job(name)
    with pytest.raises(NotFoundError, match=name):
        client.job(name)


def test_refusals_say_what_is_wrong(server: Web, client: Client) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        client.create_job("client-bad", "cron", cron="61 * * * *", task=BODY)
    assert "minute 61" in caught.value.errors["cron"]
    run = client.run(job(client), delay=3600).run
    client.cancel(run)
    with pytest.raises(ConflictError, match="cancelled"):
        client.cancel(run)
    with Client(server.url, "bk_unknown") as stranger, pytest.raises(UnknownTokenError):
        stranger.job("client-bad")


def test_slots_are_previewed(client: Client) -> None:
    found = client.preview_schedule("cron", cron="30 2 * * *", timezone="Europe/Berlin", after=FAR, count=2)
    assert [slot.utc.isoformat() for slot in found.slots] == ["2030-01-01T01:30:00+00:00", "2030-01-02T01:30:00+00:00"]
    name = client.create_job("client-cron", "cron", cron="0 0 1 1 *", task=BODY).name
    assert [slot.local for slot in client.preview(name, after=FAR, count=1).slots] == ["2031-01-01T00:00:00+00:00"]


def test_the_platform_tells_how_it_does(client: Client) -> None:
    platform = client.platform()
    assert platform.status in {"ok", "degraded", "down"}
    assert platform.document["status"] == platform.status


def test_calls_make_one_run_each_while_web_processes_are_killed(server: Web, client: Client) -> None:
    name, stopping = job(client), threading.Event()

    def load(_: int) -> list[str]:
        made = []
        while not stopping.is_set():
            made.append(client.run(name, delay=3600).name)
        return made

    with ThreadPoolExecutor(4) as pool:
        loads = [pool.submit(load, number) for number in range(4)]
        for _ in range(3):
            server.kill_one()
        stopping.set()
        names = [name for made in loads for name in made.result(60)]
    assert len(names) == len(set(names)) == runs_of(server, name) >= 3


def test_a_call_outlives_a_restart_of_the_whole_server(server: Web, client: Client) -> None:
    name = job(client)
    assert server.process is not None
    os.killpg(server.process.pid, signal.SIGKILL)
    server.process.wait(10)
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(client.run, name, delay=3600)
        assert not call.done()
        server.start()
        assert call.result(60).status == "queued"
    assert runs_of(server, name) == 1


def test_the_command_line_runs_a_job_of_a_server_and_waits(server: Web, client: Client, worker: None) -> None:
    name = job(client, max_attempts=1)
    (run,) = documents(server, "run", name, "--kwargs", '{"seconds": 0.1}', "--wait", "60")
    assert (run["status"], run["result"]) == ("succeeded", {"slept": 0.1})
    failed = command(server, "run", name, "--kwargs", '{"fails": true}', "--wait", "60")
    assert failed.returncode == 1
    assert "is dead" in failed.stderr
    assert "told to fail" in failed.stderr
    key = failed.stdout.split()[0]
    assert "is queued again; up to 1 more attempts" in command(server, "retry", key).stdout
    client.wait(f"op_{key}", 60)
    assert documents(server, "replay", key)[0]["run"] == key


@pytest.mark.parametrize(
    "line",
    [
        "list",
        "show client-same",
        "preview client-same --after 2030-01-01T00:00:00Z",
        "preview --cron @daily --after 2030-01-01T00:00:00Z",
        "runs",
        "runs client-same --days 2",
        "runs --status queued --limit 1",
    ],
)
def test_the_command_line_writes_the_same_of_a_server_as_of_the_database(
    server: Web, client: Client, line: str
) -> None:
    client.create_job("client-same", "cron", cron="0 2 * * *", task=BODY, key="client-same")
    client.run("client-same", delay=3600, key="client-same-run")
    local, remote = (documents(server, *line.split(), remotely=remotely) for remotely in (False, True))
    for untold in ("cursor", "gaps", "clock_change"):
        for document in (*local, *remote):
            document.pop(untold, None)
    for document in local:  # the queue's state is not told by the API
        document["warnings"] = [text for text in document.get("warnings", ()) if "queue" not in text]
    assert [{"warnings": [], **document} for document in remote] == local
    assert remote


def test_the_command_line_pauses_resumes_and_cancels(server: Web, client: Client) -> None:
    name = job(client)
    assert documents(server, "pause", name, "--reason", "why")[0]["note"] == "why"
    assert command(server, "resume", name).stdout == f"{name} goes on.\n"
    (run,) = documents(server, "run", name, "--in", "3600")
    assert run == documents(server, "runs", name)[0]
    assert command(server, "cancel", run["run"]).stdout == f"{run['run']} is cancelled.\n"


def test_a_run_names_its_webhook_to_client_and_command_line(server: Web, client: Client) -> None:
    name = job(client)
    with pytest.raises(InvalidRequestError, match="no endpoint") as caught:
        client.run(name, delay=3600, webhook="nowhere")
    assert set(caught.value.errors) == {"webhook"}
    assert 'There is no endpoint "nowhere"' in command(server, "run", name, "--webhook", "nowhere").stderr
    server.stack.sql(
        "INSERT INTO jobs_endpoint (name, url) VALUES ('client-told', 'https://api.example.com') ON CONFLICT DO NOTHING"
    )
    client.run(name, delay=3600, webhook="client-told")
    documents(server, "run", name, "--in", "3600", "--webhook", "client-told")
    query = (
        "SELECT e.name FROM jobs_jobrun r JOIN jobs_job j ON j.id = r.job_id "
        "JOIN jobs_endpoint e ON e.id = r.webhook_id WHERE j.name = %s"
    )
    assert server.stack.sql(query, name) == [("client-told",)] * 2


def test_a_token_that_only_starts_runs_starts_one_from_the_command_line(
    server: Web, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = job(client)
    made = json.loads(server.stack.manage("jobs", "tokens", "make", "starter", "--scope", "runs:run", "--json"))
    monkeypatch.setattr(server, "token", made["token"])
    assert command(server, "run", name, "--in", "3600").stdout.endswith("  queued\n")
    refused = command(server, "list")
    assert (refused.returncode, "jobs:read" in refused.stderr) == (1, True)


def test_the_command_line_tells_the_servers_refusal_in_one_line(server: Web) -> None:
    refused = command(server, "show", "client-none")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == 'There is no job "client-none", or this token does not reach it.\n'
