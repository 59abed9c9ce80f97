"""What is saved while no leader lives is neither lost nor fired wrongly (I1, I3)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.crash.harness.live import Live
from tests.support.waiting import let_pass, wait_until

pytestmark = pytest.mark.timeout(120)


def test_a_delay_saved_while_no_leader_lives_runs_when_one_does(live: Live) -> None:
    live.save_job("delayed")
    live.manage("jobs", "run", "delayed", "--in", "5")
    live.worker()
    let_pass(6)
    assert live.lines() == []

    live.beat()

    wait_until(lambda: live.lines("ended"), timeout=20, what="the delayed run")
    assert live.sql("SELECT count(*) FROM jobs_jobrun") == [(1,)]


def test_an_edit_over_due_unemitted_slots_leaves_a_gap_and_fires_none(live: Live) -> None:
    live.worker()
    job = live.save_job("edited", kind="interval", interval_seconds=1, anchor_at=datetime(2026, 1, 1, tzinfo=UTC))
    let_pass(3.5)
    live.sql("UPDATE jobs_job SET interval_seconds = 86400 WHERE id = %s", job)

    live.beat()

    wait_until(
        lambda: live.sql("SELECT 1 FROM jobs_cursor WHERE NOT plan_needed") and _counted(live),
        timeout=20,
        what="the plan and the count",
    )
    [(reason, counted)] = live.sql("SELECT reason, count FROM jobs_slotgap")
    assert (reason, counted in {3, 4}) == ("edited", True)
    assert live.sql("SELECT * FROM jobs_jobrun") == []


def _counted(live: Live) -> bool:
    return live.sql("SELECT 1 FROM jobs_slotgap WHERE count IS NULL") == []
