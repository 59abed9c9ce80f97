"""A small HTTP server on loopback that can misbehave in every way an endpoint may, and counts what reaches it.

A behaviour is a function of one connection whose request was read. Nothing here knows HTTP but the reading of a
request: what is said is bytes, so that a test can say what no library would.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Behaviour = Callable[[socket.socket, threading.Event], None]
EVERY_ADDRESS = "::"
_PIECE = bytes(64 * 1024)


@dataclass(frozen=True)
class Request:
    """What was sent; header names in lower case."""

    line: str
    headers: dict[str, str]
    body: bytes


class HttpServer:
    """``hits`` are connections that were made, ``requests`` those that were read whole; a thread a connection.

    ``greet`` is said before any request.
    """

    def __init__(self, behave: Behaviour, *, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> None:
        self.behave = behave
        self.hits = 0
        self.requests: list[Request] = []
        self.greet = b""
        self._tls = tls
        self._over = threading.Event()
        self._open: set[socket.socket] = set()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server(
            (host, 0), family=family, backlog=1024, dualstack_ipv6=host == EVERY_ADDRESS
        )
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, host: str = "127.0.0.1") -> str:
        """This server's URL under a name or address of one's choice."""
        return f"{'https' if self._tls else 'http'}://{host}:{self.port}/hook"

    def close(self) -> None:
        """Refuse new connections and end those that stand."""
        self._over.set()
        for item in (self._listener, *self._open):
            with contextlib.suppress(OSError):
                item.shutdown(socket.SHUT_RDWR)
            item.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.hits += 1
                self._open.add(connection)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        """Requests follow each other on a connection until one side has enough."""
        plain = connection
        with contextlib.suppress(OSError):
            if self._tls:
                connection = self._tls.wrap_socket(connection, server_side=True)
            connection.sendall(self.greet)
            while (request := _read(connection)) is not None:
                self.requests.append(request)
                self.behave(connection, self._over)
        connection.close()
        self._open.discard(plain)


def _read(connection: socket.socket) -> Request | None:
    came = b""
    while b"\r\n\r\n" not in came:
        if not (data := connection.recv(65536)):
            return None
        came += data
    head, _, body = came.partition(b"\r\n\r\n")
    line, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (item.partition(":") for item in lines)}
    while len(body) < int(headers.get("content-length", 0)):
        body += connection.recv(65536)
    return Request(line, headers, body)


@contextlib.contextmanager
def serving(behave: Behaviour, *, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> Iterator[HttpServer]:
    """A server for the length of a test."""
    server = HttpServer(behave, host=host, tls=tls)
    try:
        yield server
    finally:
        server.close()


def answer(status: str = "200 OK", body: bytes = b"", *headers: str) -> Behaviour:
    """A proper answer."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return say("\r\n".join(lines).encode() + b"\r\n\r\n" + body)


def say(raw: bytes) -> Behaviour:
    """These bytes, whatever they mean; the connection stays open."""
    return lambda connection, _: connection.sendall(raw)


def say_and_close(raw: bytes) -> Behaviour:
    """These bytes, then an orderly end of the connection."""

    def behave(connection: socket.socket, _: threading.Event) -> None:
        connection.sendall(raw)
        connection.shutdown(socket.SHUT_RDWR)

    return behave


def reset(raw: bytes = b"") -> Behaviour:
    """These bytes, then a reset."""

    def behave(connection: socket.socket, _: threading.Event) -> None:
        connection.sendall(raw)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    return behave


def hang(raw: bytes = b"") -> Behaviour:
    """These bytes, then nothing."""

    def behave(connection: socket.socket, over: threading.Event) -> None:
        connection.sendall(raw)
        over.wait()

    return behave


def drip(raw: bytes, *, every: float) -> Behaviour:
    """One byte at a time, with so many seconds in between."""

    def behave(connection: socket.socket, over: threading.Event) -> None:
        for number in range(len(raw)):
            connection.sendall(raw[number : number + 1])
            over.wait(every)

    return behave


def flood(head: bytes, piece: bytes = _PIECE, *, total: int) -> Behaviour:
    """A head, then so many bytes, as fast as they are taken."""

    def behave(connection: socket.socket, _: threading.Event) -> None:
        connection.sendall(head)
        for _number in range(total // len(piece)):
            connection.sendall(piece)

    return behave


def wait_for(gate: threading.Event, then: Behaviour) -> Behaviour:
    """Hold the answer back until the gate opens."""

    def behave(connection: socket.socket, over: threading.Event) -> None:
        gate.wait()
        then(connection, over)

    return behave
