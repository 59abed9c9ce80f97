"""What every server of a set has for tests to use: it can be killed, frozen, restarted, and dies with the test run."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ClassVar

from deploy.local.process import Identity, ends_with_us, identify, wait_until
from deploy.local.server import Server
from tests.bench.processes import tree


class Breakable(Server):
    """Mixed into the classes of ``deploy.local``, before them."""

    last_signal: ClassVar[str] = "KILL"  # what the kernel sends when the test run dies

    def command(self) -> list[str]:
        """The server's own; the wish to die with us goes after a change of user, which would clear it."""
        command = super().command()  # type: ignore[safe-super]  # the mixed-in server has one
        at = command.index("--") + 1 if "--" in command else 0
        return [*command[:at], *ends_with_us(self.last_signal), *command[at:]]

    @property
    def pid(self) -> int:
        """The server's main process."""
        identity = self.running()
        assert identity is not None, f"{self.title} does not run"
        return identity.pid

    def begin(self) -> None:
        """Start it and wait until it answers."""
        self.start()
        self.wait()

    def restart(self, end: Callable[[], None] | None = None) -> None:
        """End it, by its own signal unless told how, and start it again."""
        (end or self.stop)()
        self.begin()

    def kill(self) -> None:
        """SIGKILL to all its processes at once."""
        processes = self._processes()
        for process in processes:
            process.send(signal.SIGKILL)
        assert wait_until(lambda: not any(process.is_alive() for process in processes), 10)
        self.stop()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """All its processes stand still."""
        processes = self._processes()
        for process in processes:
            process.send(signal.SIGSTOP)
        try:
            yield
        finally:
            for process in processes:
                process.send(signal.SIGCONT)

    @contextmanager
    def gone(self) -> Iterator[None]:
        """It is stopped, and started again afterwards."""
        self.stop()
        try:
            yield
        finally:
            self.begin()

    def mend(self) -> None:
        """Run as at first, whatever a test did."""
        if self.running() is None or not self.answers():
            self.kill_if_running()
            self.begin()

    def kill_if_running(self) -> None:
        if self.running() is not None:
            self.kill()

    def _processes(self) -> list[Identity]:
        return [found for pid in sorted(tree(self.pid)) if (found := identify(pid))]
