"""A TCP proxy on loopback whose two directions can be held, and whose connections can be cut."""

from __future__ import annotations

import contextlib
import socket
import threading
import urllib.parse
from collections.abc import Iterator


class Proxy:
    """Passes bytes between its clients and one server, each connection in two threads."""

    def __init__(self, host: str, port: int) -> None:
        self._server = (host, port)
        self._sockets: list[socket.socket] = []
        self._to_client = threading.Event()
        self._to_server = threading.Event()
        self.release()
        self.port = 0
        self.listen()

    def listen(self) -> None:
        """Take connections, on the same port as before."""
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def refuse(self) -> None:
        """Close all connections and refuse new ones, as a server that is down does."""
        _close(self._listener)
        self.cut()

    def url(self, direct: str) -> str:
        """The same URL, by way of this proxy."""
        parts = urllib.parse.urlsplit(direct)
        login = parts.netloc.rpartition("@")[0]
        return parts._replace(netloc=f"{login}@127.0.0.1:{self.port}").geturl()

    def hold_answers(self) -> None:
        """What the server says stays here until released; what the client says goes on."""
        self._to_client.clear()

    def hold(self) -> None:
        """Nothing passes, in neither direction, and no connection is closed."""
        self._to_client.clear()
        self._to_server.clear()

    def release(self) -> None:
        """Let pass what was held, and all that follows."""
        self._to_client.set()
        self._to_server.set()

    def cut(self) -> None:
        """Close all connections; new ones are taken."""
        sockets, self._sockets = self._sockets, []
        for item in sockets:
            _close(item)

    def lose(self) -> None:
        """The standing connections carry nothing more and nobody is told, as on a cut line; new ones pass."""
        self.hold()
        self._to_client, self._to_server = threading.Event(), threading.Event()
        self.release()

    def lead_to(self, url: str) -> None:
        """New connections go to another server."""
        parts = urllib.parse.urlsplit(url)
        self._server = (parts.hostname or "127.0.0.1", parts.port or self._server[1])

    def close(self) -> None:
        """Take no more connections and close those that stand."""
        self.release()
        self.refuse()

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                self._connect(client)

    def _connect(self, client: socket.socket) -> None:
        """Join a client with the server; while that is down, the client is hung up on."""
        try:
            server = socket.create_connection(self._server)
        except OSError:
            _close(client)
            return
        self._sockets += [client, server]
        for source, target, gate in ((client, server, self._to_server), (server, client, self._to_client)):
            threading.Thread(target=_pass, args=(source, target, gate), daemon=True).start()


def _pass(source: socket.socket, target: socket.socket, gate: threading.Event) -> None:
    """Carry bytes until one side ends; what the gate holds back includes the end."""
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            gate.wait()
            target.sendall(data)
    gate.wait()
    _close(source)
    _close(target)


def _close(item: socket.socket) -> None:
    with contextlib.suppress(OSError):
        item.shutdown(socket.SHUT_RDWR)
    item.close()


@contextlib.contextmanager
def proxy_to(url: str) -> Iterator[Proxy]:
    """A proxy to the server that a URL names."""
    parts = urllib.parse.urlsplit(url)
    proxy = Proxy(parts.hostname or "127.0.0.1", parts.port or 5672)
    try:
        yield proxy
    finally:
        proxy.close()
