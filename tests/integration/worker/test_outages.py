"""A worker whose broker or database goes away for a while: each run is executed once."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from kombu.pidbox import Mailbox

from jobs.broker import topology
from tests.support.proxy import proxy_to
from tests.support.waiting import let_pass, wait_until
from tests.support.worker_stack import WorkerStack

QUEUE = "jobs.spare"


@pytest.fixture(scope="module")
def outage(workers: WorkerStack) -> Iterator[WorkerStack]:
    """A worker that prefetches, so that some of what it claimed waits."""
    process = workers.worker("--prefetch-multiplier", "5", queue=QUEUE, concurrency=2)
    yield workers
    assert workers.stop_worker(process) == 0


def test_a_lost_broker_connection_executes_each_run_once(outage: WorkerStack) -> None:
    keys = [outage.start("sleeps", 3, queue=QUEUE) for _ in range(6)]
    wait_until(lambda: sum(outage.row(key).status == "running" for key in keys) == 6, what="all to be claimed")
    outage.until_effect("begins", keys[0])
    outage.close_connections()
    for key in keys:
        wait_until(lambda: _ended_or_sent_again(outage, key), 30, f"run {key} to end")  # noqa: B023  # called at once
    assert [len(outage.effects(key, "begins")) for key in keys] == [1] * 6
    assert {outage.row(key).attempts for key in keys} == {1}
    wait_until(lambda: outage.messages_left(QUEUE) == 0, what="the copies to be acknowledged")


def test_a_lost_database_connection_loses_no_outcome(outage: WorkerStack) -> None:
    keys = [outage.start("sleeps", 0.5, queue=QUEUE) for _ in range(4)]
    outage.until_effect("begins", keys[0])
    outage.database.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    assert [outage.until(key).status for key in keys] == ["succeeded"] * 4
    assert {outage.row(key).attempts for key in keys} == {1}


def test_a_database_connection_lost_between_a_write_and_its_answer_loses_nothing(workers: WorkerStack) -> None:
    """I3: neither a claim nor an outcome, though the worker cannot know whether they were committed."""
    queue, direct = "jobs.fast", workers.stack.database_url
    # No heartbeat comes between.
    settings = {
        "DJANGO_SETTINGS_MODULE": "tests.support.stack_settings",
        "BEATKEEPER_TEST_SETTINGS": '{"LEASE": 180, "HEARTBEAT": 60}',
    }
    with proxy_to(direct) as proxy:
        process = workers.worker(queue=queue, concurrency=1, DATABASE_URL=proxy.url(direct), **settings)
        assert workers.until(workers.start("returns", queue=queue)).status == "succeeded"
        proxy.hold_answers()
        claimed = workers.start("sleeps", 0.5, queue=queue, job={"delivery": "at_most_once"})
        workers.until(claimed, "running")
        proxy.cut()
        proxy.release()
        workers.until_effect("begins", claimed)
        proxy.hold_answers()
        workers.until(claimed, "succeeded")
        proxy.cut()
        proxy.release()
        assert workers.until(workers.start("returns", queue=queue)).status == "succeeded"
        assert workers.stop_worker(process) == 0
    assert (workers.row(claimed).attempts, len(workers.effects(claimed, "begins"))) == (1, 1)
    said = workers.stack.log_of(process).read_text()
    assert said.count("clerk.database_away") >= 2
    assert "run.lease_lost" not in said


def _ended_or_sent_again(workers: WorkerStack, key: object) -> bool:
    row = workers.row(key)  # type: ignore[arg-type]
    if row.status == "queued" and row.dispatched_at is None:
        workers.publish(key)  # type: ignore[arg-type]
    return row.finished_at is not None


def test_a_queue_made_otherwise_ends_the_worker_with_the_mend(workers: WorkerStack) -> None:
    with workers.broker.channel() as channel:
        channel.exchange_delete("jobs.dlx")
        channel.exchange_declare("jobs.dlx", type="direct", durable=True, auto_delete=False)
        try:
            process = workers.worker(queue="jobs.fast", is_ready=False)
            assert process.wait(30) == 1
            assert b"rabbitmqadmin" in workers.stack.log_of(process).read_bytes()
        finally:
            channel.exchange_delete("jobs.dlx")
            topology.declare(workers.broker)
            workers.declare_dead()


def test_what_waits_for_a_child_can_still_be_missed_revoked_or_cancelled(outage: WorkerStack) -> None:
    busy = [outage.start("sleeps", 5, queue=QUEUE) for _ in range(2)]
    for key in busy:
        outage.until_effect("begins", key)
    late, revoked, cancelled = (outage.add_run("returns", queue=QUEUE) for _ in range(3))
    outage.update(late, "start_by = clock_timestamp() + interval '2 s'")
    attempt = [outage.publish(key) for key in (late, revoked, cancelled)][1]
    for key in (late, revoked, cancelled):
        outage.until(key, "running")
    outage.update(cancelled, "cancel_requested_at = clock_timestamp()")
    Mailbox("celery", type="fanout")(outage.broker)._broadcast("revoke", {"task_id": attempt})
    assert [outage.until(key).status for key in (late, revoked, cancelled)] == ["missed", "cancelled", "cancelled"]
    assert [outage.row(key).attempts for key in (late, revoked, cancelled)] == [0, 0, 0]
    assert [outage.until(key).status for key in busy] == ["succeeded"] * 2


def test_a_worker_is_back_soon_after_its_broker_is_whatever_the_outage(workers: WorkerStack) -> None:
    """Celery's own pauses grow to 30 s; here no try waits for over two, however many there were. Two lines tell of them
    all: that it is away, and that it is back.
    """
    direct = workers.stack.environment["BROKER_URL"]
    with proxy_to(direct) as proxy:
        process = workers.worker(queue=QUEUE, concurrency=1, BROKER_URL=proxy.url(direct))
        log = workers.stack.log_of(process)
        proxy.refuse()
        proxy.cut()
        wait_until(lambda: "worker.broker_away" in log.read_text(), what="the loss to be told")
        let_pass(9)
        proxy.listen()
        key = workers.start("noop", queue=QUEUE)
        assert workers.until(key, timeout=15).status == "succeeded"
        # Another test's worker may have taken it.
        wait_until(lambda: "worker.broker_back" in log.read_text(), timeout=15, what="the return to be told")
        (wait,) = re.findall(r"worker\.broker_away .*again_in=([\d.]+)s", log.read_text())
        assert float(wait) <= 2.0
        ((away, tries),) = re.findall(r"worker\.broker_back .*away=(\d+)s tries=(\d+)", log.read_text())
        assert int(away) >= 8
        assert int(tries) >= 5
        assert workers.stop_worker(process) == 0
