"""Old and new side by side, transactions that commit late, and logs that nobody can write (I3)."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

from tests.bench.processes import tree
from tests.crash.harness import committer
from tests.crash.harness.checks import check_all
from tests.crash.harness.live import Live
from tests.crash.harness.load import Load
from tests.support.waiting import wait_until

pytestmark = pytest.mark.timeout(300)
_TRANSACTIONS = 200
_QUIET = ("--without-gossip", "--without-mingle")


def test_b145_a_worker_that_does_not_know_the_task_leaves_the_run_to_one_that_does(live: Live) -> None:
    """The old release goes on beside the new one, and takes the message first."""
    live.beats(1)
    old = live.start(
        "old", _celery("scheduler_project", "worker", "-Q", "jobs.default", "-c", "1", *_QUIET, "-l", "INFO")
    )
    log = live.log_of(old)
    wait_until(lambda: "ready." in log.read_text(), timeout=60, what=f"the old worker, see {log}")
    load = Load(live)
    live.ask(live.save_job("new-task"), 3)
    wait_until(
        lambda: log.read_text().count("run.unknown_task") >= 3, timeout=20, what="the old worker to put them off"
    )
    assert live.sql("SELECT status, attempts FROM jobs_jobrun") == [("queued", 0)] * 3

    live.worker()

    wait_until(lambda: len(live.lines("ended")) == 3, timeout=90, what="the new worker to run them")
    assert live.end(old) == 0
    load.end()
    check_all(live, load.window)
    assert live.sql("SELECT status, attempts FROM jobs_jobrun") == [("succeeded", 1)] * 3
    assert live.sql("SELECT * FROM jobs_deadletter") == []


def test_b117_a_run_asked_for_in_a_transaction_starts_after_its_commit_and_never_after_a_rollback(live: Live) -> None:
    live.beats(1)
    live.worker("jobs.fast")
    load = Load(live)
    live.save_job("asked", queue="jobs.fast")
    told = live.folder / "committed"
    command = [sys.executable, "-m", committer.__name__, "asked", str(_TRANSACTIONS)]
    assert live.start("committer", command, **{committer.COMMITTED: str(told)}).wait(timeout=60) == 0

    committed = {key: float(at) for key, at in (line.split() for line in told.read_text().splitlines())}
    wanted = {key for key, at in committed.items() if at}
    wait_until(lambda: len(live.lines("ended")) >= len(wanted), timeout=30, what="the runs")
    load.end()
    check_all(live, load.window)
    starts = {line.key: line.at for line in live.lines("started")}
    assert (len(wanted), set(starts)) == (_TRANSACTIONS // 2, wanted)
    assert [key for key in wanted if starts[key] < committed[key]] == []


def test_a_full_disk_under_the_logs_ends_nobody_and_costs_no_run(live: Live) -> None:
    """No file of theirs can grow any more, and each further line fails."""
    beat, _ = live.beats(1)
    worker = live.worker()
    load = Load(live)
    load.every(1, jobs=2, kwargs={"fails": True}, max_attempts=2, backoff_base_seconds=0.1)
    load.by_hand(2)
    live.until_started(5)
    sizes = [_let_no_file_grow(live, process) for process in (beat, worker)]
    live.until_started(len(live.lines("started")) + 30)
    assert sizes == [live.log_of(process).stat().st_size for process in (beat, worker)], "the disk was not full"
    load.end()
    check_all(live, load.window, ends=("succeeded", "dead"), starts=2)
    assert [live.end(process) for process in (worker, beat)] == [0, 0]


def _let_no_file_grow(live: Live, process: subprocess.Popen[bytes]) -> int:
    """Bound the files of a process and its children by what its log has now, more than all else they write.

    Returns the size that the log keeps.
    """
    log = live.log_of(process)
    bound = log.stat().st_size
    for pid in tree(process.pid):
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (bound, bound))
    return log.stat().st_size


def _celery(app: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "celery", "-A", app, *arguments]
