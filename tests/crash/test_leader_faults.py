"""Leaders that die at the wrong second, stand still, lose their line, or cannot become one (I1, I2, I6)."""

from __future__ import annotations

import json
import time
from contextlib import closing
from datetime import datetime, timedelta

import psycopg
import pytest

from jobs.store.terms import LOCK_SPACE
from tests.crash.harness import faults
from tests.crash.harness.checks import check_all
from tests.crash.harness.live import Live
from tests.crash.harness.load import Load, steady
from tests.support.waiting import let_pass, wait_until

pytestmark = pytest.mark.timeout(300)
_QUICK = json.dumps({"LEASE": 6, "HEARTBEAT": 1.5})


def test_b045_a_leader_that_stood_still_over_the_due_second_still_runs_the_slot(live: Live) -> None:
    leader, _ = live.beats(1)
    live.worker()
    load = Load(live)
    due = live.now().replace(microsecond=0) + timedelta(seconds=3)
    once = live.save_job("once", kind="once", once_at=due)
    hourly = live.save_job("hourly", kind="interval", interval_seconds=3600, anchor_at=due)
    wait_until(lambda: live.now() > due - timedelta(seconds=1), what="the second before")
    with faults.frozen(leader):
        wait_until(lambda: live.now() > due + timedelta(seconds=5), what="five seconds after")
    wait_until(lambda: len(live.lines("ended")) == 2, timeout=20, what="both runs")
    load.end()
    check_all(live, load.window)
    assert _slots(live) == {(once, due), (hourly, due)}


def test_b051_a_leader_killed_a_second_before_a_slot_is_followed_in_time_again_and_again(live: Live) -> None:
    live.beats(2)
    live.worker()
    load = Load(live)
    load.every(4, jobs=2)
    for _ in range(3):
        leader = live.leader()
        due = _next_multiple(live.now(), 4)
        wait_until(lambda: live.now() > due - timedelta(seconds=1), what="the second before")  # noqa: B023
        faults.kill(leader)
        live.beat()
        starts = wait_until(lambda: _starts(live, due), timeout=15, what="the slot's runs")  # noqa: B023
        assert len(starts) == 2
    load.end()
    assert live.term() == 4
    check_all(live, load.window)


def test_b063_the_lock_is_held_as_long_as_its_session_and_not_a_second_longer(live: Live) -> None:
    leader, _ = live.beats(2)
    live.worker()
    with steady(live, by_hand=0) as load:
        live.until_started(3)
        with closing(psycopg.connect(live.database_url, autocommit=True)) as other:
            tries = [other.execute("SELECT pg_try_advisory_lock(%s, 0)", [LOCK_SPACE]).fetchone() for _ in range(100)]
        assert tries == [(False,)] * 100
        log = live.log_of(leader)
        live.sql("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE classid = %s", LOCK_SPACE)
        wait_until(lambda: "leader.stepped_down" in log.read_text(), timeout=1, what="the old leader to stop at once")
        wait_until(lambda: live.term() == 2, timeout=5, what="the next term")
        live.until_started(len(live.lines("started")) + 3)
    check_all(live, load.window)


def test_b067_a_one_off_runs_once_though_its_scheduler_is_killed_and_restarted_a_second_later(live: Live) -> None:
    live.worker()
    load = Load(live)
    for number in range(1, 4):
        beat, _ = live.beats(1)
        due = live.now().replace(microsecond=0) + timedelta(seconds=2)
        live.save_job(f"once-{number}", kind="once", once_at=due)
        wait_until(lambda: len(live.lines("started")) == number, timeout=20, what="the one-off")  # noqa: B023
        wait_until(lambda: live.now() > due + timedelta(seconds=1), what="the second after")  # noqa: B023
        faults.kill(beat)
    live.beats(1)
    let_pass(3)
    assert live.sql("SELECT status, attempts FROM jobs_jobrun") == [("succeeded", 1)] * 3
    assert live.sql("SELECT next_run_at, plan_needed FROM jobs_cursor") == [(None, False)] * 3
    load.end()
    check_all(live, load.window)


@pytest.mark.parametrize("how", ["it stands still", "its line is dead"])
def test_b099_without_its_leader_the_schedule_and_the_recovery_of_lost_runs_go_on(live: Live, how: str) -> None:
    live.environment["BEATKEEPER_TEST_SETTINGS"] = _QUICK
    line = live.proxy_to("DATABASE_URL")
    leader = live.beat(**line.environment)
    live.leader()
    live.beat()
    victim = live.worker()
    with steady(live, per_second=1, by_hand=0) as load:
        [key] = live.ask(live.save_job("long", kwargs={"seconds": 10}))
        wait_until(lambda: key in {line.key for line in live.lines("started")}, what="the long run")
        live.worker()
        with faults.frozen(leader) if how == "it stands still" else faults.held(line):
            faults.kill(victim)
            held = live.held_by(victim)
            wait_until(lambda: _ended(live, key), timeout=60, what="the lost run to run elsewhere")
            assert live.term() == 2
    assert key in held
    check_all(live, load.window, excused=held)
    log = live.log_of(leader)
    wait_until(lambda: "leader.stepped_down" in log.read_text(), what="the old leader to notice")
    if how == "its line is dead":
        assert "leader.renewal_overdue" in log.read_text()
    assert leader.poll() is None


@pytest.mark.parametrize("how", ["before the broker has it", "before its mark is stored"])
def test_b052_a_scheduler_killed_while_it_publishes_loses_no_run_and_doubles_none(live: Live, how: str) -> None:
    line = live.proxy_to("BROKER_URL")
    beat = live.beat(**line.environment)
    live.leader()
    live.worker()
    load = Load(live)
    wait_until(lambda: live.sql("SELECT 1 FROM jobs_marker WHERE returned_at IS NOT NULL"), timeout=30, what="a marker")
    with faults.held(line, only_answers=how == "before its mark is stored"):
        job = live.save_job("once", kind="once", once_at=live.now().replace(microsecond=0) + timedelta(seconds=2))
        wait_until(lambda: live.sql("SELECT 1 FROM jobs_jobrun WHERE job_id = %s", job), what="the row")
        if how == "before its mark is stored":
            live.until_started(1)
        else:
            let_pass(1)
            assert live.lines() == []
        faults.kill(beat)
    at = time.monotonic()
    live.beat()
    wait_until(lambda: live.lines("ended"), timeout=30, what="the run")
    print(f"ran {time.monotonic() - at:.1f} s after the restart")
    load.end()
    check_all(live, load.window)
    assert live.sql("SELECT attempts FROM jobs_jobrun WHERE job_id = %s", job) == [(1,)]


def _slots(live: Live) -> set[tuple[int, datetime]]:
    return set(live.sql("SELECT job_id, scheduled_for FROM jobs_jobrun"))


def _next_multiple(now: datetime, seconds: int) -> datetime:
    """The next slot but one of an interval, so that there is a second before it."""
    whole = now.replace(microsecond=0)
    return whole + timedelta(seconds=seconds - int(whole.timestamp()) % seconds + seconds)


def _starts(live: Live, due: datetime) -> list[str]:
    """The runs of a slot that have started; none until both have."""
    found = [line.key for line in live.lines("started") if line.key.endswith(f"-{int(due.timestamp() * 1e6)}")]
    return found if len(found) > 1 else []


def _ended(live: Live, key: str) -> bool:
    return any(line.key == key for line in live.lines("ended"))
