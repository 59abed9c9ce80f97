"""A pooler between the parts and PostgreSQL (I6)."""

from __future__ import annotations

import pytest

from tests.crash.harness import faults
from tests.crash.harness.checks import check_all
from tests.crash.harness.live import Live
from tests.crash.harness.load import Load, steady
from tests.crash.harness.pooler import pooled
from tests.support.waiting import wait_until

pytestmark = pytest.mark.timeout(300)
_LOCKS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"


def test_b062_beats_behind_a_pooler_refuse_to_lead_and_leave_no_lock(live: Live) -> None:
    load = Load(live)
    load.every(1)
    live.worker()
    with pooled(live.servers.database) as address:
        for log in [live.log_of(live.beat(DATABASE_URL=_through(live, address))) for _ in range(2)]:
            wait_until(lambda: log.read_text().count("connection pooler") >= 3, timeout=30, what="the refusal")  # noqa: B023
        assert live.sql("SELECT * FROM jobs_jobrun") == []
        assert live.sql(_LOCKS) == [(0,)]
        live.beat()
        live.until_started(3)
        assert live.term() == 1
    load.end()
    check_all(live, load.window)


def test_b062_beats_that_are_direct_follow_each_other_beside_workers_behind_a_pooler(live: Live) -> None:
    """One leader at any time, no lock left behind by a killed one, and a restarted beat stands by."""
    with pooled(live.servers.database) as address:
        live.worker(DATABASE_URL=_through(live, address))
        live.beats(2)
        with steady(live, kwargs={"seconds": 0.2}) as load:
            for term in (2, 3):
                live.until_started(len(live.lines("started")) + 5)
                assert live.sql(_LOCKS) == [(1,)]
                faults.kill(live.leader())
                live.beat()
                wait_until(lambda: live.term() == term, timeout=15, what=f"term {term}")  # noqa: B023
            live.until_started(len(live.lines("started")) + 5)
        check_all(live, load.window)


def _through(live: Live, address: str) -> str:
    server, _, name = live.database_url.rpartition("/")
    return f"{server.rpartition('@')[0]}@{address}/{name}"
