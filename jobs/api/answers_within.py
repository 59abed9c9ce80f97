"""A bound for what is asked of the database, also of one that takes connections and says nothing."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Iterator

from django.db import connection


@contextlib.contextmanager
def answers_within(seconds: float) -> Iterator[None]:
    """Shut this thread's database connection down unless the block is over in time: what waits in it then fails.

    No timeout of the server's ends a statement of a server that stands still, and none of the client's a read. To
    connect is not bounded here but by ``connect_timeout``.
    """
    connection.ensure_connection()
    held = socket.socket(fileno=os.dup(connection.connection.fileno()))
    timer = threading.Timer(seconds, _shut, [held])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        held.close()


def _shut(held: socket.socket) -> None:
    with contextlib.suppress(OSError):
        held.shutdown(socket.SHUT_RDWR)
