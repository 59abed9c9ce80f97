"""The processes under load: as many of each role as there should be, whatever the faults do to them."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

import psycopg

from deploy.local.process import wait_until as comes_true
from tests.crash.harness.live import Live
from tests.support.waiting import wait_until

T = TypeVar("T")
BEAT, DEFAULT, FAST = "beat", "default", "fast"
WANTED = {BEAT: 2, DEFAULT: 2, FAST: 1}
_CHILDREN = {DEFAULT: 12, FAST: 2}
_READY = {BEAT: "beat: Starting", DEFAULT: "ready.", FAST: "ready."}
_PATIENCE = 180.0  # longer than any outage
_HEAD = 50_000  # bytes of a log in which a process says who it is
_HOLDER = "SELECT holder FROM jobs_leader WHERE renewed_at > clock_timestamp() - interval '3 seconds'"


@dataclass(eq=False)
class Member:
    """One process; ``is_taken`` while a fault has it."""

    role: str
    process: subprocess.Popen[bytes]
    is_taken: bool = False


@dataclass
class Fleet:
    """Two beats, two workers on ``jobs.default``, one on ``jobs.fast``; ``untoward`` says what ended by itself."""

    live: Live
    ways: dict[str, dict[str, str]]
    members: list[Member] = field(default_factory=list)
    untoward: list[str] = field(default_factory=list)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def start_all(self) -> None:
        """Start every role's processes and wait until they are at work."""
        for role, count in WANTED.items():
            for _ in range(count):
                self.start(role)
        if not comes_true(lambda: all(self._is_ready(member) for member in self.members), 120, every=0.5):
            raise RuntimeError("\n".join(self._last_words(item) for item in self.members if not self._is_ready(item)))

    def start(self, role: str, **environment: str) -> Member:
        """One more process of a role, by way of the role's proxies."""
        with self._lock:
            number = len(self.live.processes)
            environment = {**self.ways[role], **environment}
            name = f"{role}{number}"
            arguments = ["beat"]
            if role != BEAT:
                arguments = ["worker", "-Q", f"jobs.{role}", "-c", str(_CHILDREN[role]), "-n", f"{name}@localhost"]
                arguments += ["--without-gossip", "--without-mingle"]
            member = Member(role, self.live.celery(name, *arguments, **environment))
            self.members.append(member)
            return member

    @contextmanager
    def taken(self, *roles: str, choice: Random) -> Iterator[Member]:
        """One of these roles that no other fault has."""
        with self._held(lambda: choice.choice(self._free(*roles) or [None])) as member:
            yield member

    @contextmanager
    def taken_leader(self) -> Iterator[Member]:
        """The beat that leads."""
        with self._held(lambda: next(filter(self._leads, self._free(BEAT)), None)) as member:
            yield member

    @contextmanager
    def taken_standby(self) -> Iterator[Member]:
        """A beat that stands by while another leads."""
        with self._held(self._standby) as member:
            yield member

    def is_over(self, member: Member, *, exit_code: int | None = None) -> None:
        """It has ended, as a fault wished; another exit code than the given one is noted."""
        code = member.process.wait(timeout=150)
        with self._lock:
            self.members.remove(member)
            if exit_code not in {None, code}:
                self.untoward.append(f"{self.name(member)} ended with {code} instead of {exit_code}")

    def look(self) -> None:
        """Note and replace what ended by itself."""
        with self._lock:
            for member in [member for member in self.members if not member.is_taken]:
                if member.process.poll() is not None:
                    self.untoward.append(f"{self.name(member)} ended by itself with {member.process.returncode}")
                    self.members.remove(member)
                    self.start(member.role)

    def name(self, member: Member) -> str:
        """Role and number, as its log is called."""
        return self.live.log_of(member.process).stem.partition("-")[2]

    @contextmanager
    def _held(self, find: Callable[[], Member | None]) -> Iterator[Member]:
        """What ``find`` finds, taken in one step."""

        def take() -> Member | None:
            with self._lock:
                if member := patiently(find):
                    member.is_taken = True
                return member

        found = wait_until(take, _PATIENCE, what="a member that no fault has", every=0.2)
        assert found
        try:
            yield found
        finally:
            found.is_taken = False

    def _free(self, *roles: str) -> list[Member]:
        return [item for item in self.members if item.role in roles and not item.is_taken and self._is_ready(item)]

    def _standby(self) -> Member | None:
        beats = self._free(BEAT)
        others = [beat for beat in beats if not self._leads(beat)]
        return others[0] if others and len(others) < len(beats) else None

    def _leads(self, member: Member) -> bool:
        holders = [f"holder={holder}" for (holder,) in self.live.sql(_HOLDER)]
        told = self.live.log_of(member.process).read_text()
        return any(holder in told for holder in holders)

    def _last_words(self, member: Member) -> str:
        told = self.live.log_of(member.process).read_text().splitlines()[-20:]
        return "\n".join([f"{self.name(member)} is not ready, exit code {member.process.poll()}:", *told])

    def _is_ready(self, member: Member) -> bool:
        with self.live.log_of(member.process).open("rb") as log:
            head = log.read(_HEAD).decode(errors="replace")
        return _READY[member.role] in head and member.process.poll() is None


def patiently(look: Callable[[], T]) -> T | None:
    """What ``look`` finds; None while the database is away."""
    try:
        return look()
    except psycopg.OperationalError:
        return None
