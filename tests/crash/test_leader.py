"""The leader dies, freezes, or loses its session in the middle of an emission (I1, I2, I6)."""

from __future__ import annotations

import signal
import subprocess
from datetime import timedelta

import pytest

from tests.crash import scenarios
from tests.crash.harness import faults
from tests.crash.harness.checks import check_all
from tests.crash.harness.live import Live
from tests.crash.harness.load import steady
from tests.support.waiting import wait_until

pytestmark = pytest.mark.timeout(300)


def test_b051_a_killed_leader_s_slots_are_emitted_by_the_standby(live: Live) -> None:
    outcome = scenarios.leader_killed(live)
    print(f"recovered after {outcome.seconds:.1f} s")
    assert live.term() > 1
    check_all(live, outcome.load.window)


def test_b058_a_frozen_leader_that_wakes_writes_nothing(live: Live) -> None:
    outcome = scenarios.leader_frozen(live)
    print(f"recovered after {outcome.seconds:.1f} s")
    told = "".join(live.log_of(beat).read_text() for beat in live.processes[:2])
    assert "leader.silent_ended" in told, "the standby ended the session of the one that was frozen"
    assert "leader.stepped_down shard=0 term=1 " in told, "which noticed when it woke"
    check_all(live, outcome.load.window)


@pytest.mark.parametrize("how", ["its session is ended", "its session is killed", "it is killed", "it is frozen"])
def test_b052_an_emission_that_is_cut_off_in_its_middle_leaves_no_trace_and_is_done_again(live: Live, how: str) -> None:
    """The slot's row is written, and not yet committed."""
    leader, _ = live.beats()
    live.worker()
    with steady(live, by_hand=0, catch_up="all") as load:
        job = live.sql("SELECT min(id) FROM jobs_job WHERE kind = 'interval'")[0][0]
        slot = live.now().replace(microsecond=0) + timedelta(seconds=5)
        with faults.held_emission(live, job, slot) as backend:
            _cut_off(live, leader, backend, how)
        wait_until(lambda: live.term() > 1, timeout=60, what="the next term")
        wait_until(lambda: live.sql("SELECT 1 FROM jobs_jobrun WHERE (job_id, scheduled_for) = (%s, %s)", job, slot))
        if how == "it is frozen":
            leader.send_signal(signal.SIGCONT)
    check_all(live, load.window)


def _cut_off(live: Live, leader: subprocess.Popen[bytes], backend: int, how: str) -> None:
    match how:
        case "its session is ended":
            live.sql("SELECT pg_terminate_backend(%s)", backend)
        case "its session is killed":
            faults.kill_backend(live, backend)
        case "it is killed":
            faults.kill(leader)
        case _:
            leader.send_signal(signal.SIGSTOP)
