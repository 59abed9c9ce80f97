"""What a fault of the soak works on, and what is noted of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from tests.bench.processes import tree
from tests.crash.harness.live import Detour, Live
from tests.crash.soak.fleet import BEAT, DEFAULT, FAST, Fleet, Member, patiently
from tests.support.stack import Line
from tests.support.waiting import let_pass, wait_until

_PATIENCE = 180.0
_RECENT = 4_000_000  # bytes of the bodies' file in which the start of a run under way is found


@dataclass
class Fault:
    """One fault: when, on whom, and the keys of the runs that its victim held. Times are seconds of the epoch."""

    kind: str
    at: float = field(default_factory=time.time)
    until: float = 0.0
    on: str = ""
    held: set[str] = field(default_factory=set)
    failed: str = ""  # why it could not be injected


@dataclass
class Ground:
    """The stack, its processes, and the proxies between them and the servers."""

    live: Live
    database: Detour
    beats_broker: Detour
    workers_broker: Detour
    fleet: Fleet

    def held_by(self, member: Member) -> set[str]:
        """Keys of the runs that a worker has, once what it had sent before it was stopped has arrived."""
        let_pass(0.5)
        found = wait_until(lambda: patiently(lambda: [self.live.held_by(member.process)]), _PATIENCE)
        return set(found[0]) if found else set()

    def body_of(self, member: Member) -> Line | None:
        """The start of a long run that a worker's child is at; None while there is none that goes on for a while."""
        held = patiently(lambda: self.live.held_by(member.process)) or {}
        children = tree(member.process.pid) - {member.process.pid}
        now = time.time()
        for line in self.live.lines("started", last_bytes=_RECENT):
            if line.key in held and line.pid in children and 2 < now - line.at < 15:
                return line
        return None


def ground_on(live: Live) -> Ground:
    """Proxies and a fleet that goes through them; nothing runs yet."""
    database, beats, workers = live.proxy_to("DATABASE_URL"), live.proxy_to("BROKER_URL"), live.proxy_to("BROKER_URL")
    to_workers = {**database.environment, **workers.environment}
    ways = {BEAT: {**database.environment, **beats.environment}, DEFAULT: to_workers, FAST: to_workers}
    return Ground(live, database, beats, workers, Fleet(live, ways))


class Kind(NamedTuple):
    """A fault of the list. ``inject`` returns when it is over; ``is_mild``: it may come beside another."""

    name: str
    inject: Callable[[Ground, Fault, Random], None]
    is_mild: bool = False
