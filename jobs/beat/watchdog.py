"""Ends a leader's connection when its term was not renewed in time.

A frozen server keeps a client waiting for ever: no timeout of the client library or the server fires then. So a thread
shuts the socket down, whereupon the waiting statement fails at once and the leader steps down.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading

from jobs import log
from jobs.clock import monotonic


class Watchdog:
    """Shuts a socket down unless :meth:`feed` is called at least every ``patience`` seconds."""

    def __init__(self, fileno: int, *, patience: float) -> None:
        self._socket = socket.socket(fileno=os.dup(fileno))
        self._patience = patience
        self._deadline = monotonic() + patience
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def feed(self, renewal_sent_at: float) -> None:
        """A renewal has returned; ``renewal_sent_at`` (monotonic) is when trust in it began."""
        self._deadline = renewal_sent_at + self._patience

    def stop(self) -> None:
        """End the thread and let the socket go."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()
        self._socket.close()

    def _watch(self) -> None:
        while (left := self._deadline - monotonic()) > 0:
            if self._stopped.wait(left):
                return
        log.error("leader.renewal_overdue", patience=f"{self._patience:g}s")
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
