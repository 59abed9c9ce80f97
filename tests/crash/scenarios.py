"""Faults whose recovery is measured: from the fault to the first body start of a slot due after it.

Where a worker or its child dies it is the next start of the run that it held. All at default settings; tests look at
what is left behind, and ``python -m tests.crash.recovery`` repeats them for the figures.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from tests.crash.harness import faults
from tests.crash.harness.live import Live
from tests.crash.harness.load import Load, steady
from tests.support.stack import Line
from tests.support.waiting import let_pass, wait_until

FROZEN_SECONDS = 20


@dataclass
class Outcome:
    """Seconds to recovery, the load that went on meanwhile, and the runs that the fault held, with their leases."""

    seconds: float
    load: Load
    held: dict[str, datetime] = field(default_factory=dict)


def leader_killed(live: Live) -> Outcome:
    """A standby is there; the leader gets SIGKILL."""
    leader, _ = live.beats()
    with _busy(live) as load:
        at = time.time()
        faults.kill(leader)
        seconds = until_next_slot(live, at)
    return Outcome(seconds, load)


def leader_frozen(live: Live) -> Outcome:
    """A standby is there; the leader is stopped for 20 s, longer than its term lasts, and goes on."""
    leader, _ = live.beats()
    with _busy(live) as load:
        at = time.time()
        with faults.frozen(leader):
            seconds = until_next_slot(live, at)
            let_pass(max(0, at + FROZEN_SECONDS - time.time()))
        let_pass(3)  # it wakes beside the new leader
    return Outcome(seconds, load)


def worker_killed(live: Live) -> Outcome:
    """One of two workers gets SIGKILL in the middle of a run."""
    live.beats(1)
    victim = live.worker()
    with steady(live, per_second=1, by_hand=0) as load:
        first = _long_run(live)
        live.worker()
        at = time.time()
        faults.kill(victim)
        held = live.held_by(victim)
        seconds = until_next_start(live, first, at)
    return Outcome(seconds, load, held)


def child_killed(live: Live) -> Outcome:
    """The child that works on a run gets SIGKILL."""
    live.beats(1)
    worker = live.worker()
    with steady(live, per_second=1, by_hand=0) as load:
        first = _long_run(live)
        held = {first.key: live.held_by(worker)[first.key]}
        at = time.time()
        faults.kill_child(worker, first)
        seconds = until_next_start(live, first, at)
    return Outcome(seconds, load, held)


def broker_restarted(live: Live) -> Outcome:
    """RabbitMQ is stopped and started."""
    live.beats(1)
    with _busy(live) as load:
        at = time.time()
        live.servers.broker.restart()
        seconds = until_next_slot(live, at)
    return Outcome(seconds, load)


def database_restarted(live: Live) -> Outcome:
    """PostgreSQL gets a fast shutdown and is started."""
    live.beats(1)
    with _busy(live) as load:
        at = time.time()
        live.servers.database.restart()
        seconds = until_next_slot(live, at)
    return Outcome(seconds, load)


GOALS: dict[Callable[[Live], Outcome], float] = {
    leader_killed: 3,
    leader_frozen: 15,
    worker_killed: 35,
    child_killed: 2,
    broker_restarted: 15,
    database_restarted: 10,
}


def until_next_slot(live: Live, at: float, timeout: float = 90) -> float:
    """Seconds from ``at`` until a body of a slot due after it started."""
    found = wait_until(lambda: _starts_of_slots_after(live, at), timeout, what="a start of a slot after the fault")
    return min(line.at for line in found) - at


def until_next_start(live: Live, first: Line, at: float, timeout: float = 90) -> float:
    """Seconds from ``at`` until the same run started again."""

    def again() -> list[Line]:
        return [line for line in live.lines("started") if line.key == first.key and line.at > at]

    return wait_until(again, timeout, what=f"the second start of {first.key}")[0].at - at


@contextmanager
def _busy(live: Live) -> Iterator[Load]:
    """Two workers and a load that has come into its stride."""
    live.worker()
    live.worker()
    with steady(live) as load:
        live.until_started(5)
        yield load


def _long_run(live: Live) -> Line:
    """The start of a run that lasts, noted in its row: the start of one that dies before that goes uncounted."""
    job = live.save_job("long", kwargs={"seconds": 20, "steps": 100})
    live.manage("jobs", "run", "long")
    wait_until(lambda: live.sql("SELECT 1 FROM jobs_jobrun WHERE job_id = %s AND attempts = 1", job), timeout=30)
    return next(line for line in live.lines("started") if line.key.startswith(f"{job}-"))


def _starts_of_slots_after(live: Live, at: float) -> list[Line]:
    return [line for line in live.lines("started") if _is_slot(line.key) and _slot(line.key) > at]


def _is_slot(key: str) -> bool:
    """Runs by hand are at no whole second."""
    return _slot(key).is_integer()


def _slot(key: str) -> float:
    return int(key.partition("-")[2]) / 1e6
