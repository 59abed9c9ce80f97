"""Clocks that step: of the leader's machine, and of the database's (I5)."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.crash.harness import clocks
from tests.crash.harness.checks import check_all
from tests.crash.harness.live import Live
from tests.crash.harness.load import Load, steady
from tests.support.waiting import wait_until

pytestmark = pytest.mark.timeout(300)
_HOUR = 3600


def test_b088_a_leader_whose_own_clock_steps_by_an_hour_leads_on(live: Live) -> None:
    """Back, and back again: it waits by the monotonic clock, and the database's says what is due."""
    clock = live.folder / "clock"
    environment = clocks.stepped(clock)
    clocks.step(clock, _HOUR)
    leader = live.beat(**environment)
    live.leader()
    assert _told_at(live.log_of(leader), "leader.elected") > live.now() + timedelta(minutes=50)
    live.beat()
    live.worker()
    with steady(live, by_hand=0) as load:
        live.until_started(3)
        for seconds in (0, -_HOUR):
            clocks.step(clock, seconds)
            live.until_started(len(live.lines("started")) + 12)
    assert live.term() == 1
    check_all(live, load.window)


def test_b089_a_slot_that_the_database_s_clock_steps_over_runs_once(live: Live) -> None:
    """15 s forward over the second in which it is due, and 15 s back again. The standby takes nobody for silent."""
    with _stepped_database(live) as clock:
        beat, _ = live.beats(2)
        live.worker()
        load = Load(live)
        load.every(1)
        due = live.now().replace(microsecond=0) + timedelta(seconds=10)
        job = live.save_job("hourly", kind="interval", interval_seconds=_HOUR, anchor_at=due)
        live.until_started(3)

        clocks.step(clock, 15)
        wait_until(lambda: live.now() > due + timedelta(seconds=2), timeout=4, what="the clock to step over it")
        wait_until(lambda: [line for line in live.lines("ended") if line.key.startswith(f"{job}-")], timeout=10)

        ahead = live.now()
        clocks.step(clock, 0)
        wait_until(lambda: live.now() > ahead + timedelta(seconds=3), timeout=30, what="the clock to come by again")
        load.end()
        check_all(live, load.window)
        assert live.sql("SELECT scheduled_for FROM jobs_jobrun WHERE job_id = %s", job) == [(due,)]
        assert live.log_of(beat).read_text().count("clock.jumped") == 2
        assert live.term() == 1


def _told_at(log: Path, event: str) -> datetime:
    """When a process says that something happened, by its own clock."""
    found = re.search(rf"^\[(\S+ \S+?),.*{event}", log.read_text(), re.MULTILINE)
    assert found, f"no {event} in {log}"
    return datetime.fromisoformat(found[1]).replace(tzinfo=UTC)


@contextmanager
def _stepped_database(live: Live) -> Iterator[Path]:
    """The server under a clock that can be stepped, and afterwards under the right one; yields the clock's file."""
    database = live.servers.database
    with tempfile.TemporaryDirectory() as folder:  # pytest's own is closed to the user that the server runs as
        clock = Path(folder) / "clock"
        clock.parent.chmod(0o755)
        database.clock = clocks.stepped(clock)
        database.restart()
        try:
            yield clock
        finally:
            database.clock = {}
            database.restart()
