"""Two beats at once run each slot once (I1, I2, I6)."""

from __future__ import annotations

import time

import pytest

from tests.crash.harness.checks import check_all
from tests.crash.harness.live import Live
from tests.crash.harness.load import Load
from tests.support.waiting import let_pass, wait_until

pytestmark = pytest.mark.timeout(300)


def test_b057_two_beats_run_each_slot_once_over_two_minute_boundaries(live: Live) -> None:
    live.worker(concurrency=2)
    live.beats(2)
    wait_until(lambda: 29 < time.time() % 60 < 32, timeout=61, what="hh:mm:30")
    load = Load(live)
    load.minutely(jobs=20)
    let_pass(110)  # two minute boundaries, not three
    load.end()
    check_all(live, load.window)
    assert live.sql("SELECT count(*) FROM jobs_jobrun") == [(40,)]
    assert live.sql("SELECT * FROM jobs_slotgap") == []
