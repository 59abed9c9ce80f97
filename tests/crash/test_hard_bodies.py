"""Bodies that hang, spin, fail again and again or kill their process, beside each other in one worker (I2, I4).

All start at once on a stack with a lease of 6 s; the tests look at what became of each.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from jobs.domain.outcomes import LOST_WAIT
from tests.crash.harness.checks import check_all
from tests.crash.harness.live import Live, live_on
from tests.crash.harness.load import Load
from tests.crash.harness.servers import Servers
from tests.support.stack import Line
from tests.support.waiting import wait_until

pytestmark = pytest.mark.timeout(300)
LEASE = 6
_SLOWEST = 20  # s that the longest body takes
_STEADY = {"backoff_base_seconds": 1, "backoff_cap_seconds": 8, "jitter": "none"}
_BOUND = {"soft_timeout_seconds": 2, "timeout_seconds": 4, "max_attempts": 1}
BODIES: dict[str, dict[str, Any]] = {
    "spin": {"kwargs": {"way": "spin", "seconds": _SLOWEST}},
    "sleep-in-c": {"kwargs": {"way": "sleep in C", "seconds": _SLOWEST}},
    "die": {"kwargs": {"way": "die", "seconds": 0.5}, "max_attempts": 3, **_STEADY},
    "die-once-only": {"kwargs": {"way": "die"}, "max_attempts": 3, "delivery": "at_most_once"},
    "fail": {"kwargs": {"fails": True}, "max_attempts": 6, **_STEADY},
    "spin-deaf": {"kwargs": {"way": "spin deaf", "seconds": 60}, "timeout_seconds": 3, "max_attempts": 2, **_STEADY},
    "soft-c": {"kwargs": {"way": "sleep in C", "seconds": 60}, **_BOUND},
    "soft-backtrack": {"kwargs": {"way": "backtrack"}, **_BOUND},
    "soft-deaf": {"kwargs": {"way": "spin deaf", "seconds": 60}, **_BOUND},
    "soft-database": {"kwargs": {"way": "ask the database", "seconds": 60}, **_BOUND},
}


@dataclass
class Seen:
    """The stack after all bodies have ended, the jobs' ids, and each lease as it was renewed."""

    live: Live
    load: Load
    jobs: dict[str, int]
    leases: dict[int, set[datetime]] = field(default_factory=lambda: defaultdict(set))

    def row(self, name: str) -> Any:
        """A run as it ended: status, attempts, losses, errors."""
        query = "SELECT status, attempts, losses, errors FROM jobs_jobrun WHERE job_id = %s"
        return self.live.sql(query, self.jobs[name])[0]

    def kinds(self, name: str) -> list[str]:
        """How each attempt but a good one ended."""
        return [error["kind"] for error in self.row(name)[3]]

    def lines(self, name: str, word: str = "started") -> list[Line]:
        return [line for line in self.live.lines(word) if line.key.startswith(f"{self.jobs[name]}-")]

    def is_over(self) -> bool:
        """Note the leases; whether each of the bodies has ended for good."""
        for job, until in self.live.sql("SELECT job_id, locked_until FROM jobs_jobrun WHERE status = 'running'"):
            self.leases[job].add(until)
        ended = "SELECT job_id FROM jobs_jobrun WHERE finished_at IS NOT NULL"
        return set(self.jobs.values()) <= {job for (job,) in self.live.sql(ended)}


@pytest.fixture(scope="module")
def seen(servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    with live_on(servers, tmp_path_factory.mktemp("hard")) as live:
        live.environment["BEATKEEPER_TEST_SETTINGS"] = json.dumps({"LEASE": LEASE, "HEARTBEAT": 1.5})
        live.beat()
        live.worker(concurrency=len(BODIES) + 2)
        load = Load(live)
        load.every(1)
        at = live.now().replace(microsecond=0) + timedelta(seconds=2)
        jobs = {name: live.save_job(name, kind="once", once_at=at, **fields) for name, fields in BODIES.items()}
        made = Seen(live, load, jobs)
        wait_until(made.is_over, timeout=90, what="the bodies to end", every=0.3)
        load.end()
        yield made


@pytest.mark.parametrize("name", ["spin", "sleep-in-c"])
def test_b072_a_body_that_lets_nothing_through_keeps_its_lease_and_runs_once(seen: Seen, name: str) -> None:
    assert seen.row(name) == ("succeeded", 1, 0, [])
    assert len(seen.lines(name)) == 1
    assert len(seen.leases[seen.jobs[name]]) >= 3 * _SLOWEST // LEASE, "renewed three times a lease"


def test_b092_a_body_that_kills_its_process_is_dead_after_its_attempts(seen: Seen) -> None:
    assert seen.row("die")[:3] == ("dead", 3, 0)
    assert seen.kinds("die") == ["worker_lost"] * 3
    starts = [line.at for line in seen.lines("die")]
    waits = [after - before for before, after in pairwise(starts)]
    assert len(starts) == 3
    assert all(wait >= 0.5 + LOST_WAIT for wait in waits), waits


def test_b092_an_at_most_once_body_that_kills_its_process_is_not_tried_again(seen: Seen) -> None:
    assert seen.row("die-once-only")[:2] == ("dead", 1)
    assert len(seen.lines("die-once-only")) == 1


def test_b092_other_runs_of_the_worker_start_in_time_all_the_while(seen: Seen) -> None:
    steady = "job_id IN (SELECT id FROM jobs_job WHERE kind = 'interval')"
    rows = seen.live.sql(f"SELECT scheduled_for, started_at - scheduled_for FROM jobs_jobrun WHERE {steady}")
    assert len(rows) > 20
    assert [row for row in rows if row[1] > timedelta(seconds=5)] == []


def test_b094_six_attempts_with_growing_pauses_are_six_starts(seen: Seen) -> None:
    """Between attempts the run waits in the database: no message goes round in the broker."""
    assert seen.row("fail")[:3] == ("dead", 6, 0)
    starts = [line.at for line in seen.lines("fail")]
    waits = [after - before for before, after in pairwise(starts)]
    assert len(waits) == 5
    assert all(pause <= wait < pause + 5 for wait, pause in zip(waits, (1, 2, 4, 8, 8), strict=True)), waits


def test_b103_b114_a_body_deaf_to_its_limit_is_killed_tried_again_and_dead(seen: Seen) -> None:
    """The limit is kept from outside the body."""
    assert seen.row("spin-deaf")[:3] == ("dead", 2, 0)
    assert seen.kinds("spin-deaf") == ["timed_out", "timed_out"]
    first, second = seen.lines("spin-deaf")
    assert 3 <= second.at - first.at < 8
    assert first.pid != second.pid, "the deaf process is gone"


@pytest.mark.parametrize(
    ("name", "kind", "after"),
    [
        ("soft-c", "timed_out", 4),
        ("soft-backtrack", "timed_out", 4),
        ("soft-deaf", "timed_out", 4),
        ("soft-database", "failed", 2),
    ],
)
def test_b104_the_hard_limit_ends_what_the_soft_one_does_not_reach(
    seen: Seen, name: str, kind: str, after: float
) -> None:
    query = "SELECT finished_at - started_at FROM jobs_jobrun WHERE job_id = %s"
    assert seen.row(name)[:3] == ("dead", 1, 0)
    assert seen.kinds(name) == [kind]
    took = seen.live.sql(query, seen.jobs[name])[0][0]
    assert timedelta(seconds=after - 1) < took < timedelta(seconds=after + 4)


def test_b094_no_message_is_lost_or_left(seen: Seen) -> None:
    hard = {line.key for name in BODIES for line in seen.lines(name)}
    check_all(seen.live, seen.load.window, excused=hard, ends=("succeeded", "dead"))
