"""One key, one run: with many requests at once, and with servers that are killed."""

from __future__ import annotations

import http.client
import threading
from concurrent.futures import ThreadPoolExecutor

from tests.contract.effort import is_hard
from tests.support.web import Reply, Web

_JOB = {"name": "once", "kind": "manual", "task": "tests.noop"}


def test_b140_fifty_requests_at_once_with_one_key_make_one_run(server: Web) -> None:
    server.ask("POST", "/jobs", _JOB, key="once")
    start = threading.Barrier(50)

    def send(_: int) -> Reply:
        start.wait()
        return server.ask("POST", "/jobs/once:run", {"delay_seconds": 3600}, key="b140")

    with ThreadPoolExecutor(50) as pool:
        replies = list(pool.map(send, range(50)))
    accepted = {reply.document["name"] for reply in replies if reply.status == 202}
    assert len(accepted) == 1
    assert {reply.status for reply in replies} <= {202, 409}
    for reply in replies:
        assert reply.status == 202 or reply.headers["Retry-After"]
    again = server.ask("POST", "/jobs/once:run", {"delay_seconds": 3600}, key="b140")
    assert {again.document["name"]} == accepted
    (job,) = server.stack.sql("SELECT id FROM jobs_job WHERE name = 'once'")
    assert server.stack.sql("SELECT count(*) FROM jobs_jobrun WHERE job_id = %s", *job) == [(1,)]


def test_b142_a_killed_web_process_leaves_no_key_without_its_run(server: Web) -> None:
    server.ask("POST", "/jobs", {**_JOB, "name": "killed"}, key="killed")
    stopping, sent = threading.Event(), iter(range(100_000))

    def load() -> None:
        while not stopping.is_set():
            key = f"b142-{next(sent)}"
            while not stopping.is_set():
                try:
                    if server.ask("POST", "/jobs/killed:run", {"delay_seconds": 3600}, key=key).status == 202:
                        break
                except (OSError, http.client.HTTPException, ValueError):
                    continue

    threads = [threading.Thread(target=load, daemon=True) for _ in range(8)]
    for thread in threads:
        thread.start()
    kills = 50 if is_hard() else 5
    for _ in range(kills):
        server.kill_one()
    stopping.set()
    for thread in threads:
        thread.join(60)
    orphans = """
        SELECT count(*) FROM jobs_idempotencykey k WHERE key LIKE 'b142-%%' AND NOT EXISTS (
            SELECT FROM jobs_jobrun r
            WHERE k.body ->> 'name'
                = 'op_' || r.job_id || '-' || (extract(epoch FROM r.scheduled_for) * 1000000)::bigint)
    """
    assert server.stack.sql(orphans) == [(0,)]
    keys, runs = server.stack.sql(
        "SELECT (SELECT count(*) FROM jobs_idempotencykey WHERE key LIKE 'b142-%%'), "
        "(SELECT count(*) FROM jobs_jobrun r JOIN jobs_job j ON j.id = r.job_id WHERE j.name = 'killed')"
    )[0]
    print(f"{kills} kills, {keys} keys, {runs} runs")
    assert keys == runs >= kills
