"""Runs that are ended from outside: cancel, revoke, a lease that someone else took."""

from __future__ import annotations

import os
import uuid

import pytest
from kombu.pidbox import Mailbox

from jobs.domain.messages import RUN_HEADER, RunKey
from tests.support.waiting import wait_until
from tests.support.worker_stack import WorkerStack


def test_a_running_run_asked_to_cancel_is_terminated(shared: WorkerStack) -> None:
    key = shared.start("sleeps", 60)
    shared.until_effect("begins", key)
    shared.update(key, "cancel_requested_at = clock_timestamp()")
    row = shared.until(key)
    assert (row.status, row.attempts) == ("cancelled", 1)
    assert not shared.effects(key, "ends")


def test_b108_a_worker_of_the_default_queue_claims_no_more_than_it_runs(shared: WorkerStack) -> None:
    """B108: what it cannot run now is left to other workers."""
    keys = [shared.start("sleeps", 3) for _ in range(5)]
    wait_until(lambda: len(_begun(shared, keys)) == 3, what="three children to be busy")
    assert sorted(shared.row(key).status for key in keys) == ["queued"] * 2 + ["running"] * 3
    assert {shared.until(key).status for key in keys} == {"succeeded"}


def test_a_revoked_run_is_cancelled(shared: WorkerStack) -> None:
    key = shared.add_run("sleeps", 60)
    attempt = shared.publish(key)
    shared.until_effect("begins", key)
    arguments = {"task_id": attempt, "terminate": True, "signal": "SIGTERM"}
    Mailbox("celery", type="fanout")(shared.broker)._broadcast("revoke", arguments)
    assert shared.until(key).status == "cancelled"


def test_a_worker_whose_lease_was_taken_over_ends_the_body_and_writes_nothing(shared: WorkerStack) -> None:
    """I4: the row is another worker's now."""
    key = shared.start("sleeps", 60)
    pid = shared.until_effect("begins", key).pid
    other = uuid.uuid4()
    shared.update(key, "token = token + 1, locked_by = %s, locked_until = clock_timestamp() + interval '1 h'", other)
    wait_until(lambda: not _is_alive(pid), what="the child to be killed")
    row = shared.row(key)
    assert (row.status, row.locked_by, row.token, row.errors) == ("running", other, 2, [])


def test_a_stale_worker_cannot_settle_after_takeover(shared: WorkerStack) -> None:
    """I4: whether the body ends first or its worker learns of the takeover first."""
    key = shared.start("sleeps", 0.8)
    shared.until_effect("begins", key)
    shared.update(key, "token = token + 1")
    wait_until(lambda: f"run.lease_lost run={key}".encode() in _logs(shared), what="the loss to be told")
    assert shared.row(key).status == "running"


@pytest.mark.parametrize("token", [1, 7])
def test_a_message_with_another_token_starts_nothing(shared: WorkerStack, token: int) -> None:
    key = shared.add_run("returns")
    shared.publish(key, **{RUN_HEADER: {"key": str(key), "token": token}})
    assert shared.until(shared.start("returns")).status == "succeeded"
    assert shared.row(key).status == "queued"


def test_a_redelivered_message_of_a_running_run_is_denied(shared: WorkerStack) -> None:
    key = shared.add_run("sleeps", 1)
    shared.publish(key)
    shared.publish(key)
    assert shared.until(key).status == "succeeded"
    assert len(shared.effects(key, "begins")) == 1


def _begun(workers: WorkerStack, keys: list[RunKey]) -> list[RunKey]:
    return [key for key in keys if workers.effects(key, "begins")]


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _logs(workers: WorkerStack) -> bytes:
    return b"".join(path.read_bytes() for path in workers.stack.folder.glob("*.log"))
