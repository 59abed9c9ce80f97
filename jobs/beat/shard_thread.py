"""A thread that leads one of several shards, with a database connection of its own: none waits for another."""

from __future__ import annotations

import threading

from jobs.beat.loop import Loop


class ShardThread:
    """``start``, ``stop``, ``join``. Over when asked to stop, or when another session leads the shard."""

    def __init__(self, shard: int, loop: Loop) -> None:
        self._loop = loop
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"shard-{shard}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Step down after the tick that is under way: within about a second."""
        self._stopping.set()

    def join(self, timeout: float) -> None:
        """Wait for its end, ``timeout`` seconds at most."""
        self._thread.join(timeout)

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    @property
    def is_stopping(self) -> bool:
        return self._stopping.is_set()

    def _run(self) -> None:
        try:
            while not self._stopping.is_set() and not self._loop.is_led_elsewhere:
                self._loop.tick()
        finally:
            self._loop.close()
