"""PostgreSQL refuses for longer than a lease while runs are active (I3, I4)."""

from __future__ import annotations

import pytest

from tests.support.proxy import proxy_to
from tests.support.stack import Stack
from tests.support.waiting import let_pass, wait_until

pytestmark = pytest.mark.timeout(300)


def test_an_outage_longer_than_the_lease_starts_no_run_twice(live: Stack) -> None:
    with proxy_to(live.database_url) as proxy:
        through = proxy.url(live.database_url)
        live.beat(DATABASE_URL=through)
        live.worker(DATABASE_URL=through)
        live.save_job("long", kwargs={"seconds": 40})
        live.manage("jobs", "run", "long")
        live.manage("jobs", "run", "long")
        wait_until(lambda: len(live.lines("started")) == 2, timeout=20, what="both bodies to start")

        proxy.refuse()
        let_pass(60)
        proxy.listen()

        wait_until(lambda: _statuses(live) == ["succeeded", "succeeded"], timeout=30, what="the outcomes to be settled")
        let_pass(50)  # the reaper's grace of a lease and 5 s is over
    assert len(live.lines("started")) == len(live.lines("ended")) == 2
    assert live.sql("SELECT attempts, losses FROM jobs_jobrun") == [(1, 0), (1, 0)]


def _statuses(live: Stack) -> list[str]:
    return [row[0] for row in live.sql("SELECT status FROM jobs_jobrun")]
