"""curl's multi interface on the system's best selector (epoll), for one thread.

curl says by callbacks which sockets it waits for and when it wants to be called; a turn waits for the first of those,
or for ``wake`` from another thread. Its own ``fdset`` would do no more than 1,024 descriptors.
"""

from __future__ import annotations

import contextlib
import os
import selectors
from collections.abc import Iterator

import pycurl

from jobs import clock

# Connections kept open for the next call, of all hosts together; the one unused for longest goes first. As many as
# calls in flight, or each call that ends would close one.
KEPT_CONNECTIONS = 2048
_LONGEST_WAIT = 1.0
_INTERESTS = {
    pycurl.POLL_IN: selectors.EVENT_READ,
    pycurl.POLL_OUT: selectors.EVENT_WRITE,
    pycurl.POLL_INOUT: selectors.EVENT_READ | selectors.EVENT_WRITE,
}
_READINESS = {
    selectors.EVENT_READ: pycurl.CSELECT_IN,
    selectors.EVENT_WRITE: pycurl.CSELECT_OUT,
    selectors.EVENT_READ | selectors.EVENT_WRITE: pycurl.CSELECT_IN | pycurl.CSELECT_OUT,
}
Finished = tuple[pycurl.Curl, int, str]


class Driver:
    """Carries transfers forward. All but ``wake`` belongs to one thread."""

    def __init__(self) -> None:
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_MAXCONNECTS, KEPT_CONNECTIONS)
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._set_timer)
        self._selector = selectors.DefaultSelector()
        self._due: float | None = None
        self._woken, self._waker = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(self._waker, False)
        self._selector.register(self._woken, selectors.EVENT_READ)

    def wake(self) -> None:
        """End the wait of the turn under way, or of the next one. Safe in any thread until ``close``."""
        with contextlib.suppress(BlockingIOError):  # full: woken often enough
            os.write(self._waker, b"\0")

    def add(self, handle: pycurl.Curl) -> None:
        """Begin a transfer in the next turn."""
        self._multi.add_handle(handle)

    def remove(self, handle: pycurl.Curl) -> None:
        """Take a transfer out, finished or not."""
        self._multi.remove_handle(handle)

    def turn(self, patience: float) -> Iterator[Finished]:
        """Wait at most ``patience`` or a second, act on what came. Yields finished transfers: handle, code, words."""
        for key, events in self._selector.select(min(patience, self._patience())):
            if key.fd == self._woken:
                os.read(self._woken, 4096)
            else:
                self._multi.socket_action(key.fd, _READINESS[events])
        if self._due is not None and clock.monotonic() >= self._due:
            self._due = None
            self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)
        return self._finished()

    def close(self) -> None:
        """Close all connections; no transfer may be left."""
        self._multi.close()
        self._selector.close()
        os.close(self._woken)
        os.close(self._waker)

    def _patience(self) -> float:
        return _LONGEST_WAIT if self._due is None else min(_LONGEST_WAIT, max(0.0, self._due - clock.monotonic()))

    def _finished(self) -> Iterator[Finished]:
        left = 1
        while left:
            left, good, bad = self._multi.info_read()
            yield from ((handle, pycurl.E_OK, "") for handle in good)
            yield from bad

    def _watch(self, interest: int, number: int, *_: object) -> None:
        """curl's word on one of its sockets."""
        is_watched = number in self._selector.get_map()
        if interest == pycurl.POLL_REMOVE:
            if is_watched:
                self._selector.unregister(number)
        elif is_watched:
            self._selector.modify(number, _INTERESTS[interest])
        else:
            self._selector.register(number, _INTERESTS[interest])

    def _set_timer(self, milliseconds: int) -> None:
        self._due = None if milliseconds < 0 else clock.monotonic() + milliseconds / 1000
