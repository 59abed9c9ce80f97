"""Two beats at once, and a leader that is killed (I1, I2, I6)."""

from __future__ import annotations

import itertools
import os
import time
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from tests.support.stack import Stack
from tests.support.waiting import let_pass, wait_until

pytestmark = pytest.mark.timeout(300)


def _seconds_past_minute() -> float:
    return time.time() % 60


def _has_leader(live: Stack) -> bool:
    return bool(live.sql("SELECT 1 FROM jobs_leader WHERE renewed_at > clock_timestamp() - interval '3 seconds'"))


def test_two_beats_run_each_slot_once_over_two_minute_boundaries(live: Stack) -> None:
    live.worker(concurrency=2)
    wait_until(lambda: 29 < _seconds_past_minute() < 32, timeout=61, what="hh:mm:30")
    live.beat()
    live.beat()
    for number in range(20):
        live.save_job(f"minutely-{number}", kind="cron", cron="* * * * *")
    let_pass(110)  # two minute boundaries, not three

    rows = live.sql("SELECT job_id, scheduled_for FROM jobs_jobrun")
    assert len(rows) == len(set(rows)) == 40
    starts = Counter(line.key for line in live.lines("started"))
    assert (len(starts), sum(starts.values())) == (40, 40)
    assert live.sql("SELECT * FROM jobs_slotgap") == []


def test_a_killed_leader_delays_the_next_slot_by_less_than_five_seconds_and_loses_none(live: Stack) -> None:
    live.worker()
    leader = live.beat()
    wait_until(lambda: _has_leader(live), timeout=20, what="a leader")
    term = live.sql("SELECT term FROM jobs_leader")[0][0]
    live.beat()
    job = live.save_job("secondly", kind="interval", interval_seconds=1, anchor_at=datetime(2026, 1, 1, tzinfo=UTC))
    wait_until(lambda: len(live.lines("started")) > 3, timeout=20, what="the job to run")

    os.kill(leader.pid, 9)
    killed_at = time.time()
    wait_until(
        lambda: [line for line in live.lines("started") if _slot(line.key) > killed_at + 4],
        timeout=30,
        what="new slots",
    )

    after = [line for line in live.lines("started") if _slot(line.key) > killed_at]
    first = min(after, key=lambda line: _slot(line.key))
    assert first.at - _slot(first.key) < 5
    assert live.sql("SELECT term FROM jobs_leader")[0][0] > term
    slots = [row[0] for row in live.sql("SELECT scheduled_for FROM jobs_jobrun WHERE job_id = %s ORDER BY 1", job)]
    steps = {later - earlier for earlier, later in itertools.pairwise(slots)}
    assert steps == {timedelta(seconds=1)}, "every slot has its run, none twice"


def _slot(key: str) -> float:
    return int(key.partition("-")[2]) / 1e6
