"""A local HTTP server that costs next to nothing: ``/now`` answers at once, ``/second`` after one second.

``python -m tests.bench.sink FILE`` writes its port to FILE. ``/taken`` answers how many calls it has had, and the
seconds from the first request to the last answer; ``/taken?anew`` then counts anew. It knows just enough HTTP/1.1 for
a client that sends a Content-Length, or a GET, and keeps the connection.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
_ANSWER = _HEAD % (2, b"{}")


class Taken:
    """What came so far."""

    def __init__(self) -> None:
        self.forget()

    def look(self) -> bytes:
        """Tell."""
        return json.dumps({"calls": self.calls, "seconds": self.last - self.first}).encode()

    def forget(self) -> None:
        """Begin anew."""
        self.calls, self.first, self.last = 0, 0.0, 0.0


taken = Taken()


class Sink(asyncio.Protocol):
    """One connection; requests one after another."""

    def __init__(self) -> None:
        self._data = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._data += data
        while (end := self._data.find(b"\r\n\r\n")) >= 0:
            head = self._data[:end].lower()
            length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
            if len(self._data) < end + 4 + length:
                return
            self._data = self._data[end + 4 + length :]
            self._take(head)

    def _take(self, head: bytes) -> None:
        if head.startswith(b"get /taken"):
            told = taken.look()
            if b"anew" in head.split(b"\r\n")[0]:
                taken.forget()
            self._write(_HEAD % (len(told), told))
            return
        taken.first = taken.first or time.monotonic()
        if head.startswith(b"post /second"):
            asyncio.get_running_loop().call_later(1.0, self._answer)
        else:
            self._answer()

    def _answer(self) -> None:
        taken.calls += 1
        taken.last = time.monotonic()
        self._write(_ANSWER)

    def _write(self, data: bytes) -> None:
        if self._transport and not self._transport.is_closing():
            self._transport.write(data)


async def serve(file: Path) -> None:
    """Listen on a free port of loopback for ever."""
    server = await asyncio.get_running_loop().create_server(Sink, "127.0.0.1", 0, backlog=4096)
    file.write_text(str(server.sockets[0].getsockname()[1]))
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1])))
