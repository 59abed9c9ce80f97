"""Start, recognise and stop processes of our own: by pid and start time, never by name."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Identity:
    """A process for certain: a pid comes round again, a pid with its start time does not."""

    pid: int
    started: str

    def is_alive(self) -> bool:
        stat = _stat(self.pid)
        return stat is not None and stat.started == self.started and stat.state not in "ZX"

    def send(self, number: signal.Signals) -> None:
        """Signal the process, if it is still the same one."""
        if self.is_alive():
            os.kill(self.pid, number)


@dataclass(frozen=True, slots=True)
class _Stat:
    state: str
    group: int
    started: str


def _stat(pid: int) -> _Stat | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()  # the name before it may hold spaces
    return _Stat(state=fields[0], group=int(fields[2]), started=fields[19])


def identify(pid: int) -> Identity | None:
    """The identity of a living process."""
    stat = _stat(pid)
    return None if stat is None else Identity(pid, stat.started)


def group_members(group: int) -> list[int]:
    """The living processes of a process group, zombies left out."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        stat = _stat(int(folder.name))
        if stat is not None and stat.group == group and stat.state not in "ZX":
            found.append(int(folder.name))
    return found


def read_pid_file(path: Path) -> Identity | None:
    """Who the file names, if that process still lives."""
    try:
        pid, started = path.read_text().split()
    except (OSError, ValueError):
        return None
    identity = Identity(int(pid), started)
    return identity if identity.is_alive() else None


def write_pid_file(path: Path, pid: int) -> None:
    """Note a process so that a later command recognises it."""
    identity = identify(pid)
    if identity is not None:
        path.write_text(f"{identity.pid} {identity.started}\n")


def spawn(command: Sequence[str], *, environment: Mapping[str, str], log: Path) -> subprocess.Popen[bytes]:
    """Start a server in a session of its own, which a Ctrl-C at our terminal does not reach."""
    with log.open("ab") as output:
        return subprocess.Popen(
            list(command),
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd="/",
            start_new_session=True,
        )


def ends_with_us(name: str = "TERM") -> list[str]:
    """The prefix of a command that asks the kernel for this signal when we die; the thread that starts it must live."""
    return ["setpriv", "--pdeathsig", name, "--"] if shutil.which("setpriv") else []


def stop(identity: Identity, *, first: signal.Signals, seconds: float) -> None:
    """Ask a process we started to end, wait for its whole group, then insist."""
    identity.send(first)
    if wait_until(lambda: not (identity.is_alive() or group_members(identity.pid)), seconds):
        return
    identity.send(signal.SIGKILL)
    for pid in group_members(identity.pid):
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not group_members(identity.pid), 5)


def wait_until(condition: Callable[[], bool], seconds: float, *, every: float = 0.05) -> bool:
    """Poll until the condition holds; False when the time is over."""
    end = time.monotonic() + seconds
    pause = threading.Event()
    while not condition():
        if time.monotonic() > end:
            return False
        pause.wait(every)
    return True
