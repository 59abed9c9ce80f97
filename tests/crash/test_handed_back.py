"""The line to RabbitMQ breaks while runs are on their way to children: what a child has is not handed back (I4)."""

from __future__ import annotations

import pytest

from tests.crash.harness.checks import check_all
from tests.crash.harness.live import Live
from tests.crash.harness.load import steady

pytestmark = pytest.mark.timeout(300)
CUTS = 15


def test_a_run_that_a_child_has_when_the_broker_is_lost_starts_once(live: Live) -> None:
    """The bodies of short runs start and end within the moment in which Celery forgets what it gave to its children."""
    line = live.proxy_to("BROKER_URL")
    live.beats(1)
    live.worker("jobs.fast", concurrency=2, **line.environment)
    with steady(live, per_second=150, by_hand=0, queue="jobs.fast", kwargs={"seconds": 0.003}) as load:
        live.until_started(100)
        for _ in range(CUTS):
            live.until_started(len(live.lines("started")) + 10)  # each second's runs have begun to come
            line.cut()
            live.until_started(len(live.lines("started")) + 150)
    log = live.log_of(live.processes[1]).read_text()
    assert log.count("clerk.handed_back") >= CUTS / 3, "the line was not cut in the midst of work"
    check_all(live, load.window, but=("messages",))
