"""Who gets the next run: no worker hoards, and what is urgent goes before what waits in the database."""

from __future__ import annotations

import json

import pytest

from tests.crash.harness.checks import check_all
from tests.crash.harness.live import Live
from tests.crash.harness.window import Window
from tests.support.waiting import wait_until

pytestmark = pytest.mark.timeout(120)


def test_b108_short_runs_do_not_wait_behind_a_long_one_while_another_worker_is_idle(live: Live) -> None:
    after = live.now()
    live.beats(1)
    for _ in range(2):
        live.worker(concurrency=1)
    long = live.save_job("long", kwargs={"seconds": 8})
    live.ask(long)
    live.until_started(1)
    live.ask(live.save_job("short", kwargs={"seconds": 0.1}), 5)
    wait_until(lambda: len(live.lines("ended")) == 5, timeout=5, what="the short runs")
    assert not any(line.key.startswith(f"{long}-") for line in live.lines("ended"))
    check_all(live, Window(after, live.now()))


def test_b109_an_urgent_run_goes_before_the_bulk_that_waits_in_the_database(live: Live) -> None:
    """What the broker has already is a window's worth: DISPATCH_WINDOW says how much is sent ahead of the workers."""
    window = 2
    live.environment["BEATKEEPER_TEST_SETTINGS"] = json.dumps({"DISPATCH_WINDOW": window})
    after = live.now()
    live.beats(1)
    live.worker(concurrency=1)
    live.ask(live.save_job("bulk", kwargs={"seconds": 0.1}), 60)
    live.until_started(10)
    urgent = live.save_job("urgent", priority=9)
    before = len(live.lines("started"))
    live.ask(urgent)
    wait_until(lambda: len(live.lines("ended")) == 61, timeout=60, what="all to run")
    order = [line.key.startswith(f"{urgent}-") for line in live.lines("started")]
    waited = order.index(True) - before
    print(f"{waited} others began first")
    assert waited <= window + 10, "it waited for the bulk"
    check_all(live, Window(after, live.now()))
