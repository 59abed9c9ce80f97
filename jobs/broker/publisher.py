"""Publish batches with confirms: one connection, and a lane for each queue, so that a broken queue starves no other.

What is relied on: a confirm means that the queue's replicas hold the message; a mandatory message that no queue takes
is returned before it is confirmed; the closing of a channel concerns no other channel. When the connection breaks,
what was under way is unknown: its runs are selected again, and a second copy is denied by its token.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from typing import Any

import amqp
from celery.app import app_or_default

from jobs import log
from jobs.broker.absence import Absence
from jobs.broker.encoding import Content
from jobs.broker.lane import CONNECTION_ERRORS, Lane
from jobs.broker.pause import Pause
from jobs.clock import monotonic
from jobs.readiness import readable

_HEARTBEAT_SECONDS = 6
_CONNECT_TIMEOUT_SECONDS = 4.0
_IO_TIMEOUT_SECONDS = 10.0
_GOODBYE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 2.0


class Publisher:
    """A connection to the broker and its lanes; one thread at a time uses it. No call raises."""

    def __init__(self, *, patience: float | None = None, heartbeat: int | None = None) -> None:
        """``patience`` bounds each wait in seconds; ``heartbeat`` 0 is for a connection that is closed when idle."""
        self.blocked_because = ""
        self.lost_because = ""
        self._io_timeout = patience or _IO_TIMEOUT_SECONDS
        self._lanes: dict[str, Lane] = {}
        self._pause = Pause(_LONGEST_PAUSE_SECONDS)
        self._absence = Absence()
        self._connection: amqp.Connection | None = None
        self._parameters = app_or_default().connection_for_write(
            connect_timeout=patience or _CONNECT_TIMEOUT_SECONDS,
            heartbeat=_HEARTBEAT_SECONDS if heartbeat is None else heartbeat,
        )

    def lane(self, queue: str) -> Lane:
        """The queue's lane, made when first asked for."""
        if queue not in self._lanes:
            self._lanes[queue] = Lane(queue)
        return self._lanes[queue]

    @property
    def is_connected(self) -> bool:
        """Whether the connection stood when it was last used."""
        return self._connection is not None and bool(self._connection.connected)

    def connect(self) -> bool:
        """Connect if need be; False while the broker is away, which is asked again only after a pause."""
        if self.is_connected:
            return True
        if not self._pause.is_over:
            return False
        try:
            self._connection = self._established()
        except CONNECTION_ERRORS as error:
            self._parameters.maybe_switch_next()
            self._break_off(error)
            return False
        self._pause.end()
        self.lost_because = ""
        log.event("publisher.connected", broker=self._parameters.as_uri(), **(self._absence.ended() or {}))
        return True

    def publish(self, queue: str, batch: Sequence[Content]) -> bool:
        """Start a batch on the queue's lane; False when nothing was started."""
        lane = self.lane(queue)
        if self.blocked_because or not lane.is_free or not self.connect():
            return False
        try:
            lane.publish(self._connection, batch)  # type: ignore[arg-type]  # connected
        except CONNECTION_ERRORS as error:
            self._break_off(error)
        return lane.is_waiting

    def poll(self, timeout: float) -> None:
        """Read what the broker has sent, waiting up to ``timeout`` seconds for the first of it; beat the heart."""
        connection = self._connection
        if connection is None:
            return
        try:
            _read(connection, timeout)
            connection.heartbeat_tick()
        except CONNECTION_ERRORS as error:
            self._break_off(error)
        for lane in self._lanes.values():
            lane.watch()

    def wait(self, queues: Sequence[str], timeout: float) -> None:
        """Read until no batch of these queues is under way, or ``timeout`` seconds have passed."""
        end = monotonic() + timeout
        while any(self.lane(queue).is_waiting for queue in queues) and (left := end - monotonic()) > 0:
            self.poll(left)

    def close(self) -> None:
        """Say good-bye to the broker, and wait a second at most for its answer."""
        if self._connection is not None and self.is_connected and self._connection.sock is not None:
            self._connection.sock.settimeout(_GOODBYE_SECONDS)
        self._drop(amqp.Connection.close)

    def drop(self) -> None:
        """Close the socket without a word; what was under way is unknown."""
        self._drop(amqp.Connection.collect)

    def abandon(self) -> None:
        """In a forked child: let go of the socket without a word, since the connection is the parent's."""
        connection, self._connection = self._connection, None
        if connection is not None and connection.connected and (sock := connection.sock) is not None:
            os.close(sock.detach())

    def _established(self) -> amqp.Connection:
        connection: Any = self._parameters.transport.establish_connection()
        # Bounds each read and write from here on, also in the middle of a frame.
        connection.sock.settimeout(self._io_timeout)
        connection.on_blocked, connection.on_unblocked = self._on_blocked, self._on_unblocked
        return connection  # type: ignore[no-any-return]  # the stubs know neither of these callbacks

    def _break_off(self, why: Exception) -> None:
        self._pause.lengthen()
        self.lost_because = repr(why)
        if (fields := self._absence.failed()) is not None:
            again = f"{self._pause.seconds:g}s"
            log.error("publisher.lost", broker=self._parameters.as_uri(), why=repr(why), again_in=again, **fields)
        self.drop()

    def _drop(self, end: Callable[[amqp.Connection], object]) -> None:
        connection, self._connection, self.blocked_because = self._connection, None, ""
        for lane in self._lanes.values():
            lane.forget()
        if connection is not None:
            with contextlib.suppress(*CONNECTION_ERRORS):
                end(connection)

    def _on_blocked(self, reason: str) -> None:
        self.blocked_because = reason
        log.error("publisher.blocked", broker=self._parameters.as_uri(), why=reason)

    def _on_unblocked(self) -> None:
        self.blocked_because = ""
        log.event("publisher.unblocked", broker=self._parameters.as_uri())


def _read(connection: amqp.Connection, timeout: float) -> None:
    """Handle the frames that are there. Never with py-amqp's timeout of 0, which spins on half a frame.

    A connection that is closed is never touched: py-amqp would open it anew.
    """
    while True:
        if not connection.connected:
            raise amqp.RecoverableConnectionError("The connection is closed.")
        if not _is_readable(connection.sock, timeout):
            return
        connection.blocking_read()
        timeout = 0


def _is_readable(sock: object, timeout: float) -> bool:
    if getattr(sock, "pending", int)():  # what TLS has decrypted already
        return True
    return bool(readable([sock], timeout))
