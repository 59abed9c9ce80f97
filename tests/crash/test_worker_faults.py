"""Workers that freeze and thaw, die with runs waiting, or are away when something is asked of them (I3, I4)."""

from __future__ import annotations

import json
import subprocess
import time
from datetime import timedelta

import pytest

from tests.crash.harness import faults
from tests.crash.harness.checks import check_all
from tests.crash.harness.live import Live
from tests.crash.harness.load import Load
from tests.crash.harness.window import Window
from tests.support.stack import Line
from tests.support.waiting import let_pass, wait_until

pytestmark = pytest.mark.timeout(300)
_QUICK = json.dumps({"LEASE": 6, "HEARTBEAT": 1.5})
_RECOVERED = 6 + 10  # s: a lease and ten


@pytest.fixture
def quick(live: Live) -> Live:
    """A stack with a beat and a lease of 6 s."""
    live.environment["BEATKEEPER_TEST_SETTINGS"] = _QUICK
    live.beats(1)
    return live


def test_b074_a_worker_that_thaws_after_its_lease_writes_nothing_over_the_new_owner_s(quick: Live) -> None:
    after = quick.now()
    frozen = quick.worker()
    [key] = quick.ask(quick.save_job("long", kwargs={"seconds": 4, "steps": 40}))
    first = _starts(quick, key)[0]
    wait_until(lambda: quick.sql("SELECT 1 FROM jobs_jobrun WHERE attempts = 1"), what="its start to be noted")
    with faults.frozen(frozen):
        quick.worker()
        second = wait_until(lambda: _starts(quick, key)[1:], timeout=60, what="the second attempt")[0]
        thawed_at = time.time()
    log = quick.log_of(frozen)
    wait_until(lambda: "run.lease_lost" in log.read_text(), what="the frozen worker to be told")
    wait_until(lambda: quick.sql("SELECT 1 FROM jobs_jobrun WHERE status = 'succeeded'"), what="the new owner's end")
    assert _rows(quick) == [("succeeded", 2, 1)]
    assert (second.attempt, second.pid != first.pid) == (2, True)
    late = [line for line in quick.lines() if line.pid == first.pid and line.at > thawed_at + 3]
    assert late == [], "the frozen body was ended, not left to run beside the other"
    check_all(quick, Window(after, quick.now()), excused={first.key})


def test_b106_runs_that_wait_for_a_retry_outlive_every_worker(quick: Live) -> None:
    """SIGTERM to one, SIGKILL to the other, nobody for a while, then a new one."""
    after = quick.now()
    workers = [quick.worker(), quick.worker()]
    backoff = {"backoff_kind": "fixed", "backoff_base_seconds": 12, "jitter": "none", "max_attempts": 2}
    due = quick.now().replace(microsecond=0) + timedelta(seconds=2)
    for number in range(5):
        quick.save_job(f"fails-{number}", kind="once", once_at=due, kwargs={"fails": True}, **backoff)
    _wait_for(quick, "SELECT count(*) FROM jobs_jobrun WHERE status = 'queued' AND attempts = 1", 5)

    assert quick.end(workers[0]) == 0
    faults.kill(workers[1])
    quick.worker()
    _wait_for(quick, "SELECT count(*) FROM jobs_jobrun WHERE status = 'dead' AND attempts = 2", 5, timeout=40)

    starts = quick.lines("started")
    assert len(starts) == 10
    for key in {line.key for line in starts}:
        first, second = (line.at for line in starts if line.key == key)
        assert second - first >= 12
    check_all(quick, Window(after, quick.now()), ends=("dead",), starts=2)


def test_b110_what_fell_due_while_no_worker_was_there_is_missed_and_not_run_in_a_heap(quick: Live) -> None:
    load = Load(quick)
    load.every(1, starting_deadline_seconds=1)
    let_pass(20)
    quick.worker()
    at = quick.now()
    quick.until_started(3)
    load.end()
    early = "SELECT status FROM jobs_jobrun WHERE scheduled_for <= %s"
    statuses = [row[0] for row in quick.sql(early, at)]
    assert statuses.count("missed") >= 18, statuses
    assert statuses.count("succeeded") <= 2
    check_all(quick, load.window, ends=("succeeded", "missed"))


def test_b111_what_a_killed_worker_had_claimed_and_not_begun_runs_elsewhere_within_a_lease(quick: Live) -> None:
    after = quick.now()
    victim = quick.worker("jobs.fast", concurrency=1)
    quick.ask(quick.save_job("long", queue="jobs.fast", kwargs={"seconds": 8}))
    quick.until_started(1)
    quick.ask(quick.save_job("behind", queue="jobs.fast"), 5)
    _wait_for(quick, "SELECT count(*) FROM jobs_jobrun WHERE status = 'running'", 6)
    assert len(quick.lines("started")) == 1
    quick.worker("jobs.fast")

    at = time.time()
    faults.kill(victim)
    held = quick.held_by(victim)
    wait_until(lambda: len(quick.lines("started")) == 7, timeout=_RECOVERED, what="all six to start elsewhere")
    assert max(line.at for line in quick.lines("started")) - at < _RECOVERED
    wait_until(lambda: len(quick.lines("ended")) == 6, timeout=20, what="all six to end")
    assert len(held) == 6
    assert sorted(_rows(quick)) == [("succeeded", 1, 1)] * 5 + [("succeeded", 2, 1)]
    check_all(quick, Window(after, quick.now()), excused=held)


def test_a_worker_told_to_stop_in_the_middle_of_its_runs_ends_them_and_hands_the_others_back(quick: Live) -> None:
    """Under load, beside one that goes on."""
    stopped = quick.worker("jobs.fast", concurrency=1)
    load = Load(quick)
    load.every(1, jobs=3, queue="jobs.fast", kwargs={"seconds": 0.5})
    quick.until_started(4)
    _wait_for(quick, "SELECT count(*) FROM jobs_jobrun WHERE status = 'running'", 3)
    quick.worker("jobs.fast", concurrency=3)
    assert quick.end(stopped) == 0
    assert quick.held_by(stopped) == {}
    quick.until_started(len(quick.lines("started")) + 5)
    load.end()
    check_all(quick, load.window)
    assert quick.sql("SELECT DISTINCT attempts, losses FROM jobs_jobrun") == [(1, 0)]
    told = [line for line in quick.log_of(stopped).read_text().splitlines() if "clerk.handed_back" in line]
    assert told, "nothing was handed back: the worker was not busy"


def test_b118_a_run_cancelled_before_it_began_never_begins_whoever_had_it(quick: Live) -> None:
    """(a) nobody has it, (b) a worker has it behind a long one, (c) it waits for a retry; (d) a running one ends."""
    after = quick.now()
    backoff = {"backoff_kind": "fixed", "backoff_base_seconds": 8, "jitter": "none"}
    jobs = {
        "away": quick.save_job("away"),
        "retried": quick.save_job("retried", queue="jobs.fast", kwargs={"fails": True}, **backoff),
        "long": quick.save_job("long", queue="jobs.fast", kwargs={"seconds": 60, "steps": 600}),
        "behind": quick.save_job("behind", queue="jobs.fast"),
    }
    worker = quick.worker("jobs.fast", concurrency=1)
    keys = {}
    for name, job in jobs.items():
        [keys[name]] = quick.ask(job)
        if name in ("retried", "long"):
            wait_until(lambda: _starts(quick, keys[name]), timeout=20, what=name)  # noqa: B023
    _wait_for(quick, "SELECT count(*) FROM jobs_jobrun WHERE status = 'running'", 2)
    _wait_for(quick, "SELECT count(*) FROM jobs_jobrun WHERE status = 'queued' AND attempts = 1", 1)

    for name in ("away", "behind", "retried", "long"):
        quick.manage("jobs", "cancel", keys[name])
    _wait_for(quick, "SELECT count(*) FROM jobs_jobrun WHERE status = 'cancelled'", 4)
    quick.worker()
    retry_due = max(line.at for line in quick.lines("started")) + 9
    wait_until(lambda: time.time() > retry_due, timeout=20, what="the retry's time to pass")

    begun = {line.key for line in quick.lines("started")}
    assert begun == {keys["long"], keys["retried"]}
    assert len(quick.lines("started")) == 2
    with pytest.raises(subprocess.CalledProcessError) as refusal:
        quick.manage("jobs", "cancel", keys["long"])
    assert "cancelled" in refusal.value.stderr
    quick.ask(quick.save_job("next", queue="jobs.fast"))
    wait_until(lambda: len(quick.lines("started")) == 3, what="the worker to take the next")
    assert worker.poll() is None
    check_all(quick, Window(after, quick.now()), ends=("cancelled", "succeeded"))


def _starts(live: Live, key: str) -> list[Line]:
    """The starts of a run; waits for the first."""
    return wait_until(lambda: [line for line in live.lines("started") if line.key == key], timeout=20, what="a start")


def _rows(live: Live) -> list[tuple[str, int, int]]:
    return live.sql("SELECT status, attempts, losses FROM jobs_jobrun")  # type: ignore[return-value]


def _wait_for(live: Live, query: str, count: int, timeout: float = 20) -> None:
    wait_until(lambda: live.sql(query)[0][0] == count, timeout, what=f"{count}: {query}")
