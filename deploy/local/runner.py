"""Run several programs in the foreground with prefixed output, and leave no process behind.

Each program leads a process group of its own, so that a Ctrl-C reaches only us and we end them in order: SIGTERM to
the leader, which drains; SIGKILL to what is left of the group when the time is over. A program that dies on its own is
started again, as a supervisor would, so that one can kill a worker and watch; one that keeps dying ends everything.
Should we be killed ourselves, the kernel sends the programs a SIGTERM.

Honcho would not do: it stops everything when one program ends, waits a fixed five seconds and signals a shell.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from deploy.local.process import ends_with_us, group_members

RESTART_SECONDS = 1.0
RESTARTS = 5
RESTART_WINDOW = 60.0
DRAIN_SECONDS = 30.0
_TICK = 0.1
_COLOURS = (36, 33, 32, 35, 34, 96, 93)


@dataclass(slots=True)
class Program:
    """A named command. It is made anew for each start, so that it can hold a name unique to the start."""

    name: str
    command: Callable[[], Sequence[str]]
    process: subprocess.Popen[bytes] | None = None
    start_at: float | None = 0.0
    deaths: deque[float] = field(default_factory=lambda: deque(maxlen=RESTARTS))
    unfinished_line: bytes = b""


class Runner:
    """Starts the programs and stays with them until it is told to stop, or one of them keeps dying."""

    def __init__(self, programs: Sequence[Program], *, environment: Mapping[str, str], directory: Path) -> None:
        self._programs = programs
        self._environment = {**environment, "PYTHONUNBUFFERED": "1"}
        self._directory = directory
        self._selector = selectors.DefaultSelector()
        self._width = max(len(program.name) for program in programs)
        self._stop_requests = 0
        self._failed = False

    def run(self, *, is_ready: Callable[[], bool], on_ready: Callable[[], None]) -> int:
        """Run until stopped; returns the exit code. ``on_ready`` is called once."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._request_stop)
        announced = False
        try:
            while not self._stop_requests and not self._failed:
                self._tick()
                if not announced and is_ready():
                    announced = True
                    on_ready()
        finally:
            self._drain()
        return 1 if self._failed else 0

    def _tick(self) -> None:
        for program in self._programs:
            if program.start_at is not None and time.monotonic() >= program.start_at:
                self._start(program)
        self._forward_output(_TICK)
        for program in self._programs:
            if program.process is not None and _has_ended(program.process):
                self._restart_later(program, self._bury(program, program.process))

    def _start(self, program: Program) -> None:
        program.start_at = None
        program.process = subprocess.Popen(
            [*ends_with_us(), *program.command()],
            env=self._environment,
            cwd=self._directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        assert program.process.stdout is not None  # noqa: S101 - a pipe was asked for
        os.set_blocking(program.process.stdout.fileno(), False)
        self._selector.register(program.process.stdout, selectors.EVENT_READ, program)

    def _restart_later(self, program: Program, how: str) -> None:
        now = time.monotonic()
        program.deaths.append(now)
        if len(program.deaths) == RESTARTS and now - program.deaths[0] < RESTART_WINDOW:
            self._failed = True
            self._say(f"{program.name} {how}, {RESTARTS} times in {RESTART_WINDOW:.0f} s: stopping everything.")
            return
        self._say(f"{program.name} {how}; starting it again in {RESTART_SECONDS:.0f} s.")
        program.start_at = now + RESTART_SECONDS

    def _bury(self, program: Program, process: subprocess.Popen[bytes]) -> str:
        """End what is left of the group and say how its leader ended."""
        _kill_group(process.pid)  # before the leader is reaped: until then its number is not given away
        code = process.wait()
        self._forward_output(0)
        assert process.stdout is not None  # noqa: S101 - a pipe was asked for
        if process.stdout in self._selector.get_map():
            self._selector.unregister(process.stdout)
        process.stdout.close()
        if program.unfinished_line:
            self._print(program.name, program.unfinished_line.decode(errors="replace"))
        program.process, program.unfinished_line = None, b""
        return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"

    def _drain(self) -> None:
        """SIGTERM to all, then wait; a second Ctrl-C, or the end of the time, kills."""
        end = time.monotonic() + DRAIN_SECONDS
        requests = self._stop_requests
        self._say(f"Stopping: running runs may finish, {DRAIN_SECONDS:.0f} s at most; Ctrl-C again kills.")
        for program in self._programs:
            if program.process is not None:
                os.kill(program.process.pid, signal.SIGTERM)  # unreaped yet: Popen's own method might reap it
        while alive := [program for program in self._programs if program.process is not None]:
            self._forward_output(_TICK)
            hurry = self._stop_requests > requests or time.monotonic() > end
            for program in alive:
                process = program.process
                if process is not None and (hurry or _has_ended(process)):
                    self._bury(program, process)

    def _forward_output(self, seconds: float) -> None:
        for key, _ in self._selector.select(seconds):
            program: Program = key.data
            try:
                data = os.read(key.fd, 65536)
            except BlockingIOError:
                continue
            if not data:
                self._selector.unregister(key.fileobj)
            *lines, program.unfinished_line = (program.unfinished_line + data).split(b"\n")
            for line in lines:
                self._print(program.name, line.decode(errors="replace"))

    def _print(self, name: str, line: str) -> None:
        prefix = f"{name:<{self._width}} |"
        if sys.stdout.isatty():
            index = next((i for i, program in enumerate(self._programs) if program.name == name), 0)
            prefix = f"\033[{_COLOURS[index % len(_COLOURS)]}m{prefix}\033[0m"
        write(f"{prefix} {line}")

    def _say(self, text: str) -> None:
        write(f"{'*' * self._width} | {text}")

    def _request_stop(self, _number: int, _frame: object) -> None:
        self._stop_requests += 1


def write(text: str) -> None:
    """Print, unless nobody listens any more: a closed terminal must not keep us from stopping."""
    try:
        print(text, flush=True)
    except OSError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - for the rest of our life


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether it has ended, leaving it unreaped."""
    flags = os.WEXITED | os.WNOWAIT | os.WNOHANG
    return os.waitid(os.P_PID, process.pid, flags) is not None


def _kill_group(group: int) -> None:
    for pid in group_members(group):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
