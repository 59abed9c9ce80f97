"""RabbitMQ goes and comes back, with or without what it held (I3)."""

from __future__ import annotations

import pytest

from tests.crash import scenarios
from tests.crash.harness.checks import check_all
from tests.crash.harness.live import Live
from tests.crash.harness.load import steady
from tests.support.waiting import let_pass

pytestmark = pytest.mark.timeout(500)


def test_b070_b097_a_restarted_broker_costs_no_run_and_starts_none_twice(live: Live) -> None:
    outcome = scenarios.broker_restarted(live)
    print(f"recovered after {outcome.seconds:.1f} s")
    check_all(live, outcome.load.window, but=("messages",))


def test_a_wiped_broker_loses_no_run(live: Live) -> None:
    """I3. What was ready or under way has no message any more; bodies that ran settle as they are."""
    live.beats(1)
    live.worker()
    with steady(live, kwargs={"seconds": 0.5}) as load:
        live.until_started(5)
        live.servers.broker.wipe(live.vhost)
        let_pass(5)
    check_all(live, load.window, but=("messages",), patience=240)
