"""A worker or one of its children dies in the middle of a run (I3, I4)."""

from __future__ import annotations

import pytest

from tests.crash import scenarios
from tests.crash.harness.checks import check_all
from tests.crash.harness.live import Live
from tests.support.stack import Line

pytestmark = pytest.mark.timeout(300)


def test_b111_a_killed_worker_s_runs_start_again_elsewhere_and_no_other_does(live: Live) -> None:
    outcome = scenarios.worker_killed(live)
    print(f"recovered after {outcome.seconds:.1f} s")
    check_all(live, outcome.load.window, excused=outcome.held)
    assert _long_run(live) == ("succeeded", 2, 1)
    first, second = _starts(live)
    assert second.at >= outcome.held[first.key].timestamp(), "the second start waited for the lease to run out"
    assert (first.attempt, second.attempt) == (1, 2)
    assert not [line for line in live.lines() if line.pid == first.pid and line.at > second.at], "its child died too"


def test_b091_b149_a_killed_child_s_run_starts_again_at_once_and_no_other_does(live: Live) -> None:
    outcome = scenarios.child_killed(live)
    print(f"recovered after {outcome.seconds:.1f} s")
    check_all(live, outcome.load.window, excused=outcome.held)
    assert _long_run(live) == ("succeeded", 2, 0)
    assert "worker_lost" in str(live.sql("SELECT errors FROM jobs_jobrun WHERE attempts = 2"))


def _starts(live: Live) -> list[Line]:
    """Of the run that the fault held."""
    starts = live.lines("started")
    twice = {line.key for line in starts if line.attempt == 2}
    return [line for line in starts if line.key in twice]


def _long_run(live: Live) -> tuple[str, int, int]:
    query = "SELECT run.status, attempts, losses FROM jobs_jobrun AS run JOIN jobs_job AS job ON job.id = job_id"
    return live.sql(f"{query} WHERE name = 'long'")[0]
