"""A worker's parent is killed in the middle of a run (I3, I4)."""

from __future__ import annotations

import os
import time

import pytest

from tests.support.stack import Stack
from tests.support.waiting import wait_until

pytestmark = pytest.mark.timeout(180)


def test_a_killed_worker_s_run_starts_again_only_after_its_lease(live: Stack) -> None:
    live.beat()
    victim = live.worker()
    live.save_job("long", kwargs={"seconds": 40, "steps": 200})
    live.manage("jobs", "run", "long")
    wait_until(lambda: live.lines("working"), timeout=20, what="the body to work")
    # The start is written with the next heartbeat; a worker that dies before that leaves one start uncounted.
    wait_until(lambda: live.sql("SELECT 1 FROM jobs_jobrun WHERE attempts = 1"), timeout=15, what="the start's note")
    live.worker()

    os.kill(victim.pid, 9)
    killed_at = time.time()
    lease_until = live.sql("SELECT extract(epoch FROM locked_until)::float FROM jobs_jobrun")[0][0]

    wait_until(lambda: len(live.lines("started")) == 2, timeout=60, what="the second start")
    first, second = live.lines("started")
    assert second.at >= lease_until, "the second start waited for the lease to run out"
    assert [line for line in live.lines() if line.pid == first.pid and line.at > killed_at + 1] == []
    assert (first.key, first.attempt, second.key, second.attempt) == (first.key, 1, first.key, 2)

    wait_until(lambda: live.lines("ended"), timeout=60, what="the second attempt to end")
    wait_until(lambda: _run(live)[0] == "succeeded", timeout=10, what="the run to be settled")
    status, attempts, losses, errors = _run(live)
    assert (status, attempts, losses) == ("succeeded", 2, 1)
    assert [error["attempt"] for error in errors] == [1]


def _run(live: Stack) -> tuple[str, int, int, list[dict[str, object]]]:
    row = live.sql("SELECT status, attempts, losses, errors FROM jobs_jobrun")[0]
    return row[0], row[1], row[2], row[3]
