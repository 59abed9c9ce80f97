"""Beats that cannot become a leader: nothing is emitted until they can (I2, I6)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

import psycopg
import pytest

from tests.crash.harness import faults
from tests.crash.harness.checks import check_all
from tests.crash.harness.live import Live
from tests.crash.harness.load import Load, steady
from tests.support.waiting import wait_until

pytestmark = pytest.mark.timeout(300)


def test_b051_a_standby_that_cannot_begin_its_term_tries_until_it_can(live: Live) -> None:
    leader, [standby] = live.beats(2)
    live.worker()
    with steady(live, by_hand=0) as load:
        live.until_started(3)
        with closing(psycopg.connect(live.database_url)) as holder:
            faults.kill(leader)
            holder.execute("SELECT 1 FROM jobs_leader FOR UPDATE")
            log = live.log_of(standby)
            wait_until(lambda: "beat.waiting" in log.read_text(), timeout=20, what="the failure to be told")
        live.until_started(len(live.lines("started")) + 3)
    assert live.term() == 2
    check_all(live, load.window)


def test_b059_without_the_right_to_lead_nothing_is_emitted_until_it_is_there(live: Live) -> None:
    load = Load(live)
    load.every(1)
    with _user_without_the_term(live) as (user, url):
        live.worker()
        beat = live.beat(DATABASE_URL=url)
        log = live.log_of(beat)
        wait_until(lambda: log.read_text().count("permission denied") >= 3, timeout=30, what="the refusal")
        assert live.sql("SELECT * FROM jobs_jobrun") == []
        live.sql(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {user}")
        live.until_started(3)
        load.end()
        check_all(live, load.window)
        live.end(beat)


def test_b059_without_a_database_at_its_start_nothing_is_emitted_until_it_is_there(live: Live) -> None:
    load = Load(live)
    load.every(1)
    live.worker()
    line = live.proxy_to("DATABASE_URL")
    with faults.refused(line):
        log = live.log_of(live.beat(**line.environment))
        wait_until(lambda: log.read_text().count("beat.waiting") >= 3, timeout=30, what="the beat to wait")
        assert live.sql("SELECT * FROM jobs_jobrun") == []
    live.until_started(3)
    load.end()
    check_all(live, load.window)


@contextmanager
def _user_without_the_term(live: Live) -> Iterator[tuple[str, str]]:
    """A user of the database that may do everything but write the leader's row; its name and URL."""
    user = f"weak_{live.vhost}"
    live.sql(f"CREATE ROLE {user} LOGIN PASSWORD 'weak'")
    for what in ("TABLES", "SEQUENCES"):
        live.sql(f"GRANT ALL ON ALL {what} IN SCHEMA public TO {user}")
    live.sql(f"REVOKE UPDATE, INSERT ON jobs_leader FROM {user}")
    server = live.database_url.rpartition("@")[2]
    try:
        yield user, f"postgresql://{user}:weak@{server}"
    finally:
        live.sql(f"DROP OWNED BY {user}")
        live.sql(f"DROP ROLE {user}")
