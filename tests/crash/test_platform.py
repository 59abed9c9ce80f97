"""The platform is watched from outside: a process of its own tells who is silent, and repair needs neither the stuck
process nor a free place in a worker."""

from __future__ import annotations

import json
import time
from datetime import datetime

import pytest

from jobs.conf import Config
from tests.crash.harness import faults
from tests.crash.harness.live import Live
from tests.crash.harness.watcher import Watcher
from tests.support.waiting import let_pass, wait_until

pytestmark = pytest.mark.timeout(300)
_QUICK = {"LEASE": 6, "HEARTBEAT": 1.5, "MARKER": 3}
_TTL = Config().term_ttl


@pytest.fixture
def watcher(live: Live) -> Watcher:
    """The web process; beats and workers have the same settings."""
    live.environment["BEATKEEPER_TEST_SETTINGS"] = json.dumps(_QUICK)
    return Watcher(live, **_QUICK)


def test_a_frozen_leader_is_told_of_soon_after_its_term_and_no_longer_once_it_goes_on(
    live: Live, watcher: Watcher
) -> None:
    watcher.until_told("leader_missing", timeout=5)
    leader, _ = live.beats(1)
    watcher.until_mended("leader_missing", timeout=5)
    assert not watcher.tells("leader_silent")
    with faults.frozen(leader):
        began = time.monotonic()
        watcher.until_told("leader_silent", timeout=_TTL + 5)
        print(f"told after {time.monotonic() - began:.1f} s")
        age = watcher.value("leader_tick_age_seconds", shard="0")
        let_pass(2)
        assert watcher.value("leader_tick_age_seconds", shard="0") >= age + 1
        assert watcher.status("/readyz") == 200, "web processes stay when beat is stuck"
    watcher.until_mended("leader_silent", timeout=10)


def test_work_that_is_due_and_that_nobody_claims_is_told_of_until_a_worker_comes(live: Live, watcher: Watcher) -> None:
    live.beats(1)
    live.save_job("one")
    live.manage("jobs", "run", "one")
    watcher.until_told("work_unclaimed", timeout=30)
    assert watcher.value("oldest_sent_seconds", queue="jobs.default") >= 2 * _QUICK["MARKER"]
    assert watcher.value("queue_consumed", queue="jobs.default") == 0
    live.worker()
    watcher.until_mended("work_unclaimed", timeout=20)
    wait_until(lambda: watcher.value("queue_consumed", queue="jobs.default") == 1, what="a marker to come back")


def test_a_broker_with_an_alarm_for_memory_is_told_of_though_nothing_is_due(live: Live, watcher: Watcher) -> None:
    live.beats(1)
    live.worker()
    wait_until(lambda: watcher.value("broker", state="connected") == 1, timeout=15, what="the broker to be told of")
    with live.servers.broker.alarmed():
        watcher.until_told("broker_blocked", timeout=20)
        assert watcher.value("queue_blocked", queue="jobs.default") == 1
    watcher.until_mended("broker_blocked", timeout=20)
    with live.servers.broker.gone():
        watcher.until_told("broker_away", timeout=20)
        assert watcher.status("/readyz") == 200
    watcher.until_mended("broker_away", timeout=30)


def test_a_stuck_run_is_given_back_though_its_leader_is_frozen_and_every_place_is_taken(
    live: Live, watcher: Watcher
) -> None:
    leader, _ = live.beats(2)
    victim, other = live.worker(concurrency=1), live.worker(concurrency=1)
    live.save_job("long", kwargs={"seconds": 120})
    for _ in range(2):
        live.manage("jobs", "run", "long")
    live.until_started(2)
    held, busy = wait_until(lambda: live.held_by(victim)), wait_until(lambda: live.held_by(other))
    with faults.frozen(leader):
        faults.kill(victim)
        wait_until(lambda: watcher.value("expired_leases") == 1, timeout=15, what="the expired lease to be told of")
        wait_until(lambda: _statuses(live, held) == {"queued"}, timeout=60, what="the run to be given back")
        assert _statuses(live, busy) == {"running"}, "no worker had a place for a task of ours"
        assert live.term() == 2
        assert watcher.value("expired_leases") == 0
    assert not watcher.tells("stuck_runs")


def test_a_database_that_is_away_is_told_of_by_the_probe_and_not_by_a_crash(live: Live, watcher: Watcher) -> None:
    assert watcher.status("/readyz") == 200
    with live.servers.database.gone():
        assert [watcher.status(path) for path in ("/readyz", "/metrics", "/healthz")] == [503, 503, 200]
    with live.servers.database.frozen():
        began = time.monotonic()
        assert watcher.status("/readyz") == 503
        assert time.monotonic() - began < 9
    wait_until(lambda: watcher.status("/readyz") == 200, what="the database to answer again")


def _statuses(live: Live, held: dict[str, datetime]) -> set[str]:
    query = "SELECT job_id || '-' || (extract(epoch FROM scheduled_for) * 1000000)::bigint, status FROM jobs_jobrun"
    return {status for key, status in live.sql(query) if key in held}
