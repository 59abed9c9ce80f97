"""Runs that outlast the broker's patience for an acknowledgement, and retries that wait (I3)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.crash.harness.checks import check_all
from tests.crash.harness.live import Live
from tests.crash.harness.load import Load
from tests.support.waiting import wait_until

pytestmark = pytest.mark.timeout(300)
_PATIENCE = 10  # s; RabbitMQ's own default is half an hour
_LOOKS_EVERY_SECOND = "[{rabbit, [{channel_tick_interval, 1000}, {quorum_tick_interval, 1000}]}]."


def test_b071_b090_b158_what_outlasts_the_broker_s_patience_runs_once_and_the_worker_goes_on(live: Live) -> None:
    """A run of 25 s, short ones prefetched behind it in the same child, and a retry that is 25 s ahead."""
    with _impatient_broker(live):
        live.beats(1)
        worker = live.worker("jobs.fast", concurrency=1)
        load = Load(live)
        long = live.save_job("long", queue="jobs.fast", kwargs={"seconds": 25})
        retried = live.save_job("retried", queue="jobs.fast", kwargs={"fails": True}, max_attempts=2, **_IN_25_S)
        short = live.save_job("short", queue="jobs.fast")
        live.ask(retried)
        live.until_started(1)
        live.ask(long)
        live.until_started(2)
        live.ask(short, 2)
        at = time.time()

        log = live.log_of(worker)
        wait_until(lambda: "PRECONDITION_FAILED" in log.read_text(), timeout=25, what="the broker to lose patience")
        assert _row(live, retried) == ("queued", 1, 0)
        query = "SELECT dispatched_at FROM jobs_jobrun WHERE job_id = %s"
        assert live.sql(query, retried) == [(None,)], "what waits for its retry has no message"
        wait_until(lambda: len(live.lines("ended")) == 3, timeout=40, what="the long run and the short ones")

        wait_until(lambda: _row(live, retried)[0] == "dead", timeout=40, what="the second attempt")
        first, second = (line.at for line in live.lines("started") if line.key == _key(live, retried))
        assert 25 <= second - first < 40
        print(f"{time.time() - at:.1f} s")
        live.ask(short)
        wait_until(lambda: len(live.lines("ended")) == 4, timeout=10, what="the worker to consume on")
        assert _row(live, long) == ("succeeded", 1, 0)
        load.end()
        check_all(live, load.window, ends=("succeeded", "dead"), excused={_key(live, retried)})


_IN_25_S = {"backoff_kind": "fixed", "backoff_base_seconds": 25, "jitter": "none"}


def _key(live: Live, job: int) -> str:
    return next(line.key for line in live.lines("started") if line.key.startswith(f"{job}-"))


def _row(live: Live, job: int) -> tuple[str, int, int]:
    return live.sql("SELECT status, attempts, losses FROM jobs_jobrun WHERE job_id = %s", job)[0]


@contextmanager
def _impatient_broker(live: Live) -> Iterator[None]:
    """The broker waits ten seconds for an acknowledgement, and looks each second."""
    broker = live.servers.broker
    broker.more, broker.advanced = {"consumer_timeout": str(_PATIENCE * 1000)}, _LOOKS_EVERY_SECOND
    broker.restart()
    live.declare()
    try:
        yield
    finally:
        broker.more, broker.advanced = {}, "[]."
        broker.restart()
