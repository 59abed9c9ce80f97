"""What a private server is to us: prepare, start, ask, stop."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from deploy.local.config import Config
from deploy.local.errors import LocalError
from deploy.local.ports import Port
from deploy.local.process import Identity, read_pid_file, spawn, stop, wait_until, write_pid_file

START_SECONDS = 90


class Server(ABC):
    """One server under ``.local/``. Subclasses say what is special about theirs."""

    name: ClassVar[str]
    title: ClassVar[str]
    port_names: ClassVar[tuple[str, ...]]
    package: ClassVar[str | None] = None
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM
    stop_seconds: ClassVar[float] = 30

    def __init__(self, config: Config, passwords: Mapping[str, str]) -> None:
        self.config = config
        self.passwords = passwords
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def folder(self) -> Path:
        return self.config.local / self.name

    @property
    def pid_file(self) -> Path:
        return self.config.run / f"{self.name}.pid"

    @property
    def log_file(self) -> Path:
        return self.config.log / f"{self.name}.log"

    def ports(self) -> list[Port]:
        return self.config.private_ports(*self.port_names)

    @classmethod
    @abstractmethod
    def program(cls) -> str | None:
        """The server's program, None where it is not installed."""

    @abstractmethod
    def command(self) -> list[str]:
        """The command line of a server that stays in the foreground."""

    @abstractmethod
    def answers(self) -> bool:
        """Whether it can be used now."""

    def prepare(self) -> None:
        """Lay out its folder; called before each start."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def environment(self) -> dict[str, str]:
        return {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}

    def urls(self) -> dict[str, str]:
        """The variables that tell others where it is."""
        return {}

    def running(self) -> Identity | None:
        return read_pid_file(self.pid_file)

    def mismatch(self) -> str:
        """In what the one that runs differs from the one that would be started now; empty where it does not."""
        return ""

    def start(self) -> None:
        """Start it without waiting for an answer."""
        self.prepare()
        self._child = spawn(self.command(), environment=self.environment(), log=self.log_file)
        write_pid_file(self.pid_file, self._child.pid)

    def wait(self) -> None:
        """Wait until it answers; an error with its last lines when it ends instead."""
        if not wait_until(lambda: self._has_ended() or self.answers(), START_SECONDS) or self._has_ended():
            raise LocalError(f"{self.title} did not start. The end of {self.log_file}:\n{self._last_lines()}")

    def stop(self, first: signal.Signals | None = None) -> None:
        """End it by its own signal, or by another one."""
        identity = self.running()
        if identity is not None:
            stop(identity, first=first or self.stop_signal, seconds=self.stop_seconds)
        if self._child is not None:
            self._child.wait()
        self.pid_file.unlink(missing_ok=True)

    def _has_ended(self) -> bool:
        return self._child is not None and self._child.poll() is not None

    def _last_lines(self) -> str:
        lines = self.log_file.read_text(errors="replace").splitlines()[-8:] if self.log_file.exists() else []
        return "\n".join(f"  {line}" for line in lines)


def find_program(*names: str) -> str | None:
    """The first of these programs that is on PATH or where Debian keeps servers."""
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/local/sbin", "/usr/sbin", "/usr/bin"])
    return next((found for name in names if (found := shutil.which(name, path=path))), None)
