"""Workers and beats that start, or that must not."""

from __future__ import annotations

import subprocess
from pathlib import Path

from jobs.conf import QUEUES
from tests.support.stack import stack
from tests.support.waiting import wait_until
from tests.support.worker_stack import WorkerStack

REFUSED = '{"LEASE": 6}'


def test_a_worker_with_a_refused_setting_exits_and_says_why(workers: WorkerStack) -> None:
    """I4: it must not go on as a plain Celery worker of our queue."""
    process = workers.worker(
        is_ready=False, DJANGO_SETTINGS_MODULE="tests.support.stack_settings", BEATKEEPER_TEST_SETTINGS=REFUSED
    )
    assert _told(workers, process).startswith('Beatkeeper cannot start: BEATKEEPER["HEARTBEAT"]: ')


def test_a_beat_with_a_refused_setting_exits_and_says_why(workers: WorkerStack) -> None:
    said = _told(workers, workers.stack.beat(BEATKEEPER_TEST_SETTINGS=REFUSED))
    assert said.startswith('Beatkeeper cannot start: BEATKEEPER["HEARTBEAT"]: ')


def _told(workers: WorkerStack, process: subprocess.Popen[bytes]) -> str:
    """The last line of a process that ended with code 1 and without a traceback."""
    assert process.wait(30) == 1
    said = workers.stack.log_of(process).read_text()
    assert "Traceback" not in said
    return said.splitlines()[-1]


def test_beat_and_workers_that_meet_on_an_empty_broker_start_without_an_error(tmp_path: Path) -> None:
    """All of them declare what is missing, at the same time."""
    with stack(tmp_path) as made:
        beat = made.beat()
        workers = [made.celery("worker", "worker", "-Q", name, "-c", "1") for name in QUEUES]
        for process in workers:
            log = made.log_of(process)
            wait_until(lambda: "ready." in log.read_text(), 60, f"the worker to be ready, see {log}")  # noqa: B023  # called at once
        logs = [made.log_of(process).read_text() for process in (beat, *workers)]
        assert [line for text in logs for line in text.splitlines() if "ERROR" in line or "CRITICAL" in line] == []
