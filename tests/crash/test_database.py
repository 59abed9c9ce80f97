"""PostgreSQL goes and comes back (I1, I3, I4)."""

from __future__ import annotations

import pytest

from tests.crash import scenarios
from tests.crash.harness import faults
from tests.crash.harness.checks import check_all
from tests.crash.harness.live import Live
from tests.crash.harness.load import steady
from tests.crash.harness.window import Window
from tests.support.waiting import let_pass, wait_until

pytestmark = pytest.mark.timeout(300)


def test_a_restarted_database_costs_no_slot_and_starts_no_run_twice(live: Live) -> None:
    """B098, B101."""
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


def test_ended_sessions_cost_no_slot_and_start_no_run_twice(live: Live) -> None:
    """B063, B098, B101."""
    live.beats(2)
    live.worker()
    with steady(live, kwargs={"seconds": 0.5}) as load:
        for _ in range(3):
            enough = len(live.lines("started")) + 5
            faults.end_backends(live)
            live.until_started(enough)
    check_all(live, load.window)


def _statuses(live: Live) -> list[str]:
    return [row[0] for row in live.sql("SELECT status FROM jobs_jobrun")]
