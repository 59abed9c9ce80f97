"""The guard at the door: each address is judged at the moment curl is about to dial it.

curl asks for a socket after it has resolved the host, with the very address it will connect to; what is refused gets
no socket. So it does not matter what a name led to when it was checked, how an address is spelled, or which of several
addresses is tried: no packet leaves for a refused one. A connection that is used again went through here once.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence

import pycurl

from jobs.domain.addresses import Network, refusal


class Guard:
    """Opens the sockets of one call, and remembers what it let through and what it refused."""

    def __init__(self) -> None:
        self.begin(())

    def begin(self, allowed: Sequence[Network]) -> None:
        """Forget the call before; ``allowed`` are networks that may be dialled though they are not public."""
        self._allowed = allowed
        self.dialled = ""
        self.refused = ""
        self.refusal = ""
        self.no_socket = ""

    def open(self, _purpose: int, peer: pycurl.CurlSockAddr) -> socket.socket | int:
        """A socket for this address alone, or SOCKET_BAD. curl tries the host's next address then."""
        address = peer.addr[0] if peer.family in (socket.AF_INET, socket.AF_INET6) else ascii(peer.addr)
        if problem := refusal(address, self._allowed):
            self.refused, self.refusal = address, problem
            return _bad()
        try:
            opened = _Lent(peer.family, peer.socktype, peer.protocol)
        except OSError as error:  # out of file descriptors
            self.no_socket = f"{error.strerror}. Raise the limit (ulimit -n), or make fewer calls at once."
            return _bad()
        self.dialled = address
        return opened


class _Lent(socket.socket):
    """curl works on a copy of the socket's descriptor; this one is closed, without a warning, when curl has let go."""

    def __del__(self) -> None:
        self.close()


def _bad() -> int:
    bad: int = pycurl.SOCKET_BAD
    return bad
