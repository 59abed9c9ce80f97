"""What the holder of a lease may write, and nobody else (I4)."""

from __future__ import annotations

import contextlib
import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import DataError, transaction

from jobs.domain.messages import RunKey
from jobs.domain.outcomes import Verdict
from jobs.domain.states import TRANSITIONS, RunStatus
from jobs.errors import CallerError
from jobs.services.cancel import cancel
from jobs.services.claim import claim, postpone_unknown
from jobs.services.hand_back import hand_back
from jobs.services.heartbeat import heartbeat
from jobs.services.replay import replay
from jobs.services.settle import settle
from jobs.store.clock import database_now
from jobs.store.leases import HISTORY, Beat, Lease, Published, Settlement
from tests.support.runs import OTHER, WORKER, get_run, make_run, set_run

pytestmark = pytest.mark.django_db

STALE = {"another token": {"token": 2}, "another worker": {"locked_by": OTHER}}


@pytest.fixture
def key() -> RunKey:
    return make_run(status="running")


def lease(key: RunKey) -> Lease:
    return Lease(key, 1, WORKER)


def end(key: RunKey, to: RunStatus = RunStatus.SUCCEEDED, **verdict: Any) -> dict[RunKey, RunStatus]:
    return settle([Settlement(lease(key), Verdict(to, **verdict), 1, 2.0)], worker=WORKER)


def test_settling_ends_the_run_and_its_lease(key: RunKey) -> None:
    assert settle(
        [Settlement(lease(key), Verdict(RunStatus.SUCCEEDED), 3, 2.0, json.dumps({"a": 1}))], worker=WORKER
    ) == {key: RunStatus.SUCCEEDED}
    run = get_run(key)
    assert (run.status, run.result, run.attempts, run.locked_by, run.locked_until) == (
        "succeeded",
        {"a": 1},
        3,
        None,
        None,
    )
    assert run.started_at is not None
    assert run.finished_at is not None
    assert timedelta(seconds=1.9) < run.finished_at - run.started_at < timedelta(seconds=2.1)


def test_a_retry_clears_what_a_dispatch_and_a_deadline_left(key: RunKey) -> None:
    set_run(key, "dispatched_at = clock_timestamp(), start_by = clock_timestamp()")
    end(key, RunStatus.QUEUED, delay=60.0, record={"kind": "failed"}, last_error="no")
    run = get_run(key)
    assert (run.status, run.dispatched_at, run.start_by, run.finished_at) == ("queued", None, None, None)
    assert timedelta(seconds=58) < run.run_after - database_now() <= timedelta(seconds=60)
    assert (run.last_error, run.errors[0]["kind"]) == ("no", "failed")
    assert run.errors[0]["at"]


def test_the_attempt_history_is_bounded(key: RunKey) -> None:
    set_run(key, "errors = %s", json.dumps([{"kind": str(number)} for number in range(HISTORY)]))
    end(key, RunStatus.DEAD, record={"kind": "newest"})
    kinds = [entry["kind"] for entry in get_run(key).errors]
    assert kinds == [*map(str, range(1, HISTORY)), "newest"]


def test_a_run_asked_to_cancel_is_not_queued_again(key: RunKey) -> None:
    set_run(key, "cancel_requested_at = clock_timestamp()")
    assert end(key, RunStatus.QUEUED) == {key: RunStatus.CANCELLED}
    handed = make_run(status="running", cancel_requested_at=database_now())
    assert hand_back([(lease(handed), False)], worker=WORKER) == {handed: RunStatus.CANCELLED}


@pytest.mark.parametrize("change", STALE.values(), ids=STALE)
def test_b074_without_the_lease_nothing_is_written(key: RunKey, change: dict[str, Any]) -> None:
    for column, value in change.items():
        set_run(key, f"{column} = %s", value)
    before = get_run(key)
    assert end(key) == {}
    assert heartbeat([Beat(lease(key), 9, 1.0)], worker=WORKER) == {}
    assert hand_back([(lease(key), True)], worker=WORKER) == {}
    after = get_run(key)
    assert {name: getattr(after, name) for name in _columns(after)} == {
        name: getattr(before, name) for name in _columns(before)
    }


def test_a_lost_lease_in_a_batch_leaves_the_others_theirs(key: RunKey) -> None:
    lost = make_run(status="running", token=5)
    both = [Settlement(lease(each), Verdict(RunStatus.SUCCEEDED)) for each in (lost, key)]
    assert settle(both, worker=WORKER) == {key: RunStatus.SUCCEEDED}


def test_a_heartbeat_renews_tells_of_a_cancel_and_writes_a_start(key: RunKey) -> None:
    asked = make_run(status="running", cancel_requested_at=database_now())
    set_run(key, "locked_until = clock_timestamp() - interval '1 s'")
    assert heartbeat([Beat(lease(key), 1, 3.0), Beat(lease(asked))], worker=WORKER) == {key: False, asked: True}
    run = get_run(key)
    assert run.locked_until is not None
    assert run.started_at is not None
    assert run.locked_until - database_now() > timedelta(seconds=28)
    assert run.attempts == 1
    assert timedelta(seconds=3) <= database_now() - run.started_at < timedelta(seconds=4)
    assert (get_run(asked).attempts, get_run(asked).started_at) == (0, None)


def test_a_hand_back_spends_no_attempt(key: RunKey) -> None:
    set_run(key, "dispatched_at = clock_timestamp(), attempts = 1")
    assert hand_back([(lease(key), True)], worker=WORKER) == {key: RunStatus.QUEUED}
    run = get_run(key)
    assert (run.status, run.attempts, run.token, run.dispatched_at, run.locked_by) == ("queued", 0, 1, None, None)


def test_data_that_postgresql_refuses_settles_nothing_of_its_batch(key: RunKey) -> None:
    bad = make_run(status="running")
    batch = [
        Settlement(lease(key), Verdict(RunStatus.SUCCEEDED), result="1"),
        Settlement(lease(bad), Verdict(RunStatus.SUCCEEDED), result='"\\u0000"'),
    ]
    with pytest.raises(DataError), transaction.atomic():
        settle(batch, worker=WORKER)
    assert get_run(key).status == "running"


@pytest.mark.parametrize("before", RunStatus)
def test_the_statements_make_exactly_the_transitions_of_the_table(before: RunStatus) -> None:
    """Every way that a run's status can be changed, tried from every status."""
    reached = {after for attempt in _ways() if (after := _tried(before, attempt)) != before}
    allowed = set(TRANSITIONS[before])
    assert reached == allowed


def _tried(before: RunStatus, way: Any) -> RunStatus:
    key = make_run(status=before.value, **({} if before is RunStatus.RUNNING else {"token": 1}))
    with contextlib.suppress(CallerError, ValueError):
        way(key)
    return RunStatus(get_run(key).status)


def _ways() -> list[Any]:
    def missed(key: RunKey) -> None:
        set_run(key, "start_by = clock_timestamp() - interval '1 s'")
        claim([Published(key, 1)], worker=OTHER)

    def unknown(key: RunKey) -> None:
        postpone_unknown([(Published(key, 1), "no.task")], now=database_now() + timedelta(hours=1))

    return [
        lambda key: claim([Published(key, 1)], worker=OTHER),
        missed,
        unknown,
        *(lambda key, to=to: end(key, to) for to in RunStatus),  # type: ignore[misc]  # bound at once
        lambda key: hand_back([(lease(key), False)], worker=WORKER),
        lambda key: heartbeat([Beat(lease(key))], worker=WORKER),
        cancel,
        replay,
    ]


def _columns(run: Any) -> list[str]:
    return [field.attname for field in run._meta.fields]
