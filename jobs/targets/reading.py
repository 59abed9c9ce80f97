"""What has come of one answer so far; curl calls it for each header line and each piece of the body.

Both are bounded: of a body 64 kB are read, and its first 8 kB kept, from which 4 kB of masked text are made.
"""

from __future__ import annotations

READ_BYTES = 64 * 1024
KEPT_BYTES = 8 * 1024
HEADER_BYTES = 64 * 1024
# Any number but the count of bytes given: curl then ends the transfer.
_STOP = 0


class Reading:
    """Used again for each call on the same handle."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Forget the answer before."""
        self._headers: dict[bytes, str] = {}
        self._in_headers = False
        self.body = bytearray()
        self.has_too_many_headers = False
        self.header_bytes = 0
        self.is_full = False
        self.size = 0
        self.status_line = ""

    def take_header(self, line: bytes) -> int | None:
        """A status line, a header, the blank line behind them, or a trailer. Informational answers come one by one."""
        self.header_bytes += len(line)
        if self.header_bytes > HEADER_BYTES:
            self.has_too_many_headers = True
            return _STOP
        if line.startswith(b"HTTP/"):
            self.status_line = line.decode("latin-1")
            self._in_headers = True
            self._headers.clear()
        elif self._in_headers:
            self._note(line)
        return None

    def take_body(self, data: bytes) -> int | None:
        """A piece of the body."""
        self.size += len(data)
        if (room := KEPT_BYTES - len(self.body)) > 0:
            self.body += data[:room]
        if self.size > READ_BYTES:
            self.is_full = True
            return _STOP
        return None

    def header(self, name: bytes) -> str:
        """The first value under this lower-case name, or empty; only those that matter here are kept."""
        return self._headers.get(name, "")

    @property
    def reason(self) -> str:
        """The reason phrase: what follows version and code."""
        return "".join(self.status_line.split(None, 2)[2:]).strip()

    def _note(self, line: bytes) -> None:
        name, colon, value = line.partition(b":")
        if not colon:
            self._in_headers = False
        elif name[:1] in b"cClLrR":  # most lines are of no interest
            self._headers.setdefault(name.strip().lower(), value.strip().decode("latin-1"))
