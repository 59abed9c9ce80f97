"""PostgreSQL goes and comes back (I1, I3, I4)."""

from __future__ import annotations

import signal
import time

import pytest

from tests.crash import scenarios
from tests.crash.harness import faults
from tests.crash.harness.checks import check_all
from tests.crash.harness.live import Live
from tests.crash.harness.load import steady
from tests.crash.harness.window import Window
from tests.support.waiting import let_pass, wait_until

_JOBS = 10
_CATCH_UP = 5 + 1  # slots of a job each second: those within CATCH_UP_GRACE, and the latest of the missed ones

pytestmark = pytest.mark.timeout(300)


def test_b098_b101_a_restarted_database_costs_no_slot_and_starts_no_run_twice(live: Live) -> None:
    outcome = scenarios.database_restarted(live)
    print(f"recovered after {outcome.seconds:.1f} s")
    check_all(live, outcome.load.window)


def test_an_outage_longer_than_the_lease_starts_no_run_twice(live: Live) -> None:
    database = live.proxy_to("DATABASE_URL")
    live.beat(**database.environment)
    live.worker(**database.environment)
    after = live.now()
    live.save_job("long", kwargs={"seconds": 40})
    live.manage("jobs", "run", "long")
    live.manage("jobs", "run", "long")
    live.until_started(2)

    with faults.refused(database):
        let_pass(60)

    wait_until(lambda: _statuses(live) == ["succeeded", "succeeded"], timeout=60, what="the outcomes to be settled")
    let_pass(50)  # the reaper's grace of a lease and 5 s is over
    assert live.sql("SELECT attempts, losses FROM jobs_jobrun") == [(1, 0), (1, 0)]
    check_all(live, Window(after, live.now()))


def test_b101_b063_b098_ended_sessions_cost_no_slot_and_start_no_run_twice(live: Live) -> None:
    live.beats(2)
    live.worker()
    with steady(live, kwargs={"seconds": 0.5}) as load:
        for _ in range(3):
            enough = len(live.lines("started")) + 5
            faults.end_backends(live)
            live.until_started(enough)
    check_all(live, load.window)


def test_b069_b098_a_database_gone_for_20_s_is_found_again_and_its_return_brings_no_storm(live: Live) -> None:
    beat, _ = live.beats(1)
    worker = live.worker()
    with steady(live, per_second=_JOBS, by_hand=0) as load:
        live.until_started(_JOBS)
        with live.servers.database.gone():
            let_pass(20)
        at = time.time()
        back = scenarios.until_next_slot(live, at)
        let_pass(5)
    print(f"recovered after {back:.1f} s")
    assert back < 10
    seconds = load.window.until.timestamp() - at
    started = sum(line.at > at for line in live.lines("started"))
    assert started <= _JOBS * (seconds + 1 + _CATCH_UP), f"{started} starts in {seconds:.1f} s"
    assert (beat.poll(), worker.poll()) == (None, None)
    check_all(live, load.window)


def _statuses(live: Live) -> list[str]:
    return [row[0] for row in live.sql("SELECT status FROM jobs_jobrun")]


def test_a_worker_told_to_stop_while_postgresql_is_away_settles_what_has_ended(live: Live) -> None:
    """The outage outlasts the body by 25 s; nothing of the run is left to its lease."""
    line = live.proxy_to("DATABASE_URL")
    live.beats(1)
    worker = live.worker(**line.environment)
    (key,) = live.ask(live.save_job("short", kwargs={"seconds": 3}))
    live.until_started(1)
    with faults.refused(line):
        worker.send_signal(signal.SIGTERM)
        wait_until(lambda: live.lines("ended"), timeout=20, what="the body to end")
        let_pass(25)
    assert worker.wait(timeout=60) == 0
    assert live.sql("SELECT status, attempts, losses FROM jobs_jobrun") == [("succeeded", 1, 0)]
    assert [line.key for line in live.lines("started")] == [key]
