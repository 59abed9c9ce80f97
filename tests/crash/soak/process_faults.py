"""Faults of beats, workers and their children: killed, frozen, asked to end, with a wrong clock."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from tests.crash.harness import clocks, faults
from tests.crash.soak.fleet import BEAT, DEFAULT, FAST, Member
from tests.crash.soak.ground import Fault, Ground, Kind
from tests.support.stack import Line
from tests.support.waiting import let_pass, wait_until

_CLOCK_OFF = 120


def _leader_killed(ground: Ground, fault: Fault, choice: Random) -> None:
    with ground.fleet.taken_leader() as leader:
        _kill(ground, fault, leader, choice)


def _leader_frozen(ground: Ground, fault: Fault, _: Random) -> None:
    with ground.fleet.taken_leader() as leader, _frozen(ground, fault, leader):
        let_pass(20)


def _standby_killed(ground: Ground, fault: Fault, choice: Random) -> None:
    with ground.fleet.taken_standby() as standby:
        _kill(ground, fault, standby, choice)


def _standby_frozen(ground: Ground, fault: Fault, _: Random) -> None:
    with ground.fleet.taken_standby() as standby, _frozen(ground, fault, standby):
        let_pass(20)


def _worker_killed(ground: Ground, fault: Fault, choice: Random) -> None:
    with ground.fleet.taken(DEFAULT, FAST, choice=choice) as worker:
        _kill(ground, fault, worker, choice)


def _worker_frozen(ground: Ground, fault: Fault, choice: Random) -> None:
    """For longer than its leases last."""
    with ground.fleet.taken(DEFAULT, FAST, choice=choice) as worker, _frozen(ground, fault, worker):
        fault.held = ground.held_by(worker)
        let_pass(40)


def _child_killed(ground: Ground, fault: Fault, choice: Random) -> None:
    with ground.fleet.taken(DEFAULT, choice=choice) as worker:
        line = _body(ground, fault, worker)
        fault.held = {line.key}
        faults.kill_child(worker.process, line)


def _child_frozen(ground: Ground, fault: Fault, choice: Random) -> None:
    with ground.fleet.taken(DEFAULT, choice=choice) as worker:
        line = _body(ground, fault, worker)
        os.kill(line.pid, signal.SIGSTOP)
        let_pass(20)
        os.kill(line.pid, signal.SIGCONT)


def _asked_to_end(ground: Ground, fault: Fault, choice: Random) -> None:
    with ground.fleet.taken(DEFAULT, choice=choice) as worker:
        _body(ground, fault, worker)
        ground.fleet.start(DEFAULT)
        _end(ground, worker)


def _wrong_clock(ground: Ground, fault: Fault, choice: Random) -> None:
    """The leader and a worker are followed by ones whose clock is off by two minutes, until another fault ends them."""
    off = choice.choice([-_CLOCK_OFF, _CLOCK_OFF])
    _follow(ground, fault, choice, clocks.shifted(off))
    fault.on += f", {off:+d} s"


def _stepping_clock(ground: Ground, fault: Fault, choice: Random) -> None:
    """The same with a clock that steps by two minutes, and back."""
    clock = ground.live.folder / f"clock-{int(fault.at)}"
    _follow(ground, fault, choice, clocks.stepped(clock))
    off = choice.choice([-_CLOCK_OFF, _CLOCK_OFF])
    for seconds in (off, 0):
        clocks.step(clock, seconds)
        let_pass(8)
    fault.on += f", {off:+d} s and back"


KINDS = (
    Kind("leader killed", _leader_killed),
    Kind("leader frozen 20 s", _leader_frozen),
    Kind("standby killed", _standby_killed, is_mild=True),
    Kind("standby frozen 20 s", _standby_frozen, is_mild=True),
    Kind("worker killed", _worker_killed),
    Kind("worker frozen 40 s", _worker_frozen),
    Kind("child killed", _child_killed, is_mild=True),
    Kind("child frozen 20 s", _child_frozen, is_mild=True),
    Kind("worker asked to end", _asked_to_end, is_mild=True),
    Kind("clock wrong", _wrong_clock, is_mild=True),
    Kind("clock steps", _stepping_clock, is_mild=True),
)


def _kill(ground: Ground, fault: Fault, member: Member, choice: Random) -> None:
    """SIGKILL, and another in its place after a pause, as a supervisor would."""
    fault.on, fault.at = ground.fleet.name(member), time.time()
    faults.kill(member.process)
    if member.role != BEAT:
        fault.held = ground.held_by(member)
    let_pass(choice.uniform(0, 3))
    ground.fleet.is_over(member)
    ground.fleet.start(member.role)


@contextmanager
def _frozen(ground: Ground, fault: Fault, member: Member) -> Iterator[None]:
    fault.on, fault.at = ground.fleet.name(member), time.time()
    with faults.frozen(member.process):
        yield


def _body(ground: Ground, fault: Fault, worker: Member) -> Line:
    """A long run under way; the fault begins now."""
    line = wait_until(lambda: ground.body_of(worker), 120, what="a long run under way", every=0.5)
    assert line
    fault.on, fault.at = f"{ground.fleet.name(worker)}, run {line.key}", time.time()
    return line


def _end(ground: Ground, member: Member) -> None:
    """SIGTERM: what runs is finished, and the exit is clean."""
    member.process.send_signal(signal.SIGTERM)
    ground.fleet.is_over(member, exit_code=0)


def _follow(ground: Ground, fault: Fault, choice: Random, clock: dict[str, str]) -> None:
    """End standby and leader, so that a beat of this clock leads; and let a worker of this clock follow one."""
    with ground.fleet.taken_standby() as standby:
        _end(ground, standby)
        beat = ground.fleet.start(BEAT, **clock)
    with ground.fleet.taken_leader() as leader:
        fault.at = time.time()
        if leader is not beat:
            _end(ground, leader)
            ground.fleet.start(BEAT)
    with ground.fleet.taken(DEFAULT, choice=choice) as worker:
        follower = ground.fleet.start(DEFAULT, **clock)
        _end(ground, worker)
    fault.on = f"{ground.fleet.name(beat)}, {ground.fleet.name(follower)}"
