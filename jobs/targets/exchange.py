"""A curl handle and the call on it. Everything that curl is told about a call is told here.

What is switched off is as much of the safeguard as the guard is: proxies of the environment, redirects, other
protocols, sockets that are no IP connections, cookies, ``.netrc``, and decoding, so that a small answer stays small.
A handle serves one call after another; its fixed options are set once.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import certifi
import pycurl

from jobs import clock
from jobs.domain.addresses import Network
from jobs.domain.answers import Answer, Failure, FailureKind
from jobs.domain.retry_after import retry_after_seconds
from jobs.domain.snippets import LOCATION_BYTES, SNIPPET_BYTES, clean, snippet
from jobs.targets.call import Call
from jobs.targets.egress import Guard
from jobs.targets.endings import Ending, failure_of
from jobs.targets.flight import Flight
from jobs.targets.reading import Reading

_FIXED = (
    (pycurl.NOSIGNAL, 1),
    (pycurl.POST, 1),
    (pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1),
    (pycurl.HTTP09_ALLOWED, 0),
    (pycurl.TCP_NODELAY, 1),
    (pycurl.TCP_KEEPALIVE, 1),
    (pycurl.MAXAGE_CONN, 60),
    (pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS),
    (pycurl.REDIR_PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS),
    (pycurl.FOLLOWLOCATION, 0),
    (pycurl.PROXY, ""),
    (pycurl.NOPROXY, "*"),
    (pycurl.NETRC, pycurl.NETRC_IGNORED),
    (pycurl.UNRESTRICTED_AUTH, 0),
    (pycurl.HTTP_CONTENT_DECODING, 0),
    (pycurl.SSL_VERIFYPEER, 1),
    (pycurl.SSL_VERIFYHOST, 2),
    (pycurl.SSLVERSION, pycurl.SSLVERSION_TLSv1_2),
)


class Exchange:
    """Begin a flight, let curl perform ``handle``, ask for the ending, clear; then begin the next."""

    def __init__(self) -> None:
        self.handle = pycurl.Curl()
        self._guard = Guard()
        self._reading = Reading()
        for option, value in _FIXED:
            self.handle.setopt(option, value)
        self.handle.setopt(pycurl.CAINFO, os.environ.get("SSL_CERT_FILE") or certifi.where())
        self.handle.setopt(pycurl.OPENSOCKETFUNCTION, self._guard.open)
        self.handle.setopt(pycurl.HEADERFUNCTION, self._reading.take_header)
        self.handle.setopt(pycurl.WRITEFUNCTION, self._reading.take_body)

    def begin(self, flight: Flight, found: Sequence[str], allowed: Sequence[Network]) -> None:
        """Make the handle ready. ``found``: addresses of the host, none where it is an address itself.

        pycurl.error where curl takes a part of the call for impossible.
        """
        call = flight.call
        self._guard.begin(allowed)
        self._reading.begin()
        milliseconds = max(1, round((flight.deadline - clock.monotonic()) * 1000))
        self.handle.setopt(pycurl.URL, call.url.encode())
        self.handle.setopt(pycurl.RESOLVE, [flight.resolved(found)] if found else [])
        self.handle.setopt(pycurl.HTTPHEADER, _header_lines(call))
        self.handle.setopt(pycurl.POSTFIELDS, call.body)
        # Over a kept connection that turns out dead curl sends the request again, by itself.
        self.handle.setopt(pycurl.FRESH_CONNECT, int(call.only_once))
        self.handle.setopt(pycurl.TIMEOUT_MS, milliseconds)
        self.handle.setopt(pycurl.CONNECTTIMEOUT_MS, milliseconds)

    def ending(self, flight: Flight, code: int, said: str) -> Answer | Failure:
        """What came of it, by curl's code (0: all went well) and words."""
        if code == pycurl.E_OK or (code == pycurl.E_WRITE_ERROR and self._reading.is_full):
            return self._answer(flight)
        how = self._how(flight, code, said)
        kind, message = failure_of(how, self._guard, self._reading)
        return flight.failure(kind, message, self._address(), may_have_acted=how.is_sent)

    def cancelled(self, flight: Flight, message: str) -> Failure:
        """What is told of one that we end."""
        return flight.failure(FailureKind.CANCELLED, message, self._address())

    def clear(self) -> None:
        """Let go of what was sent and read, for it may be large."""
        self._reading.begin()
        self.handle.setopt(pycurl.HTTPHEADER, [])
        self.handle.setopt(pycurl.POSTFIELDS, b"")

    def _how(self, flight: Flight, code: int, said: str) -> Ending:
        is_sent = self.handle.getinfo(pycurl.REQUEST_SIZE) > 0
        return Ending(
            code=code,
            said=said,
            host=flight.place.host,
            seconds=flight.call.seconds,
            error_number=self.handle.getinfo(pycurl.OS_ERRNO),
            is_connected=is_sent or self.handle.getinfo(pycurl.CONNECT_TIME) > 0,
            is_sent=is_sent,
        )

    def _answer(self, flight: Flight) -> Answer:
        reading, secrets = self._reading, flight.call.secrets
        content_type = clean(reading.header(b"content-type"), secrets)
        encoding = reading.header(b"content-encoding").lower()
        return Answer(
            status=self.handle.getinfo(pycurl.RESPONSE_CODE),
            reason=clean(reading.reason, secrets),
            seconds=flight.elapsed,
            address=self._address(),
            content_type=content_type,
            text=snippet(
                bytes(reading.body), size=reading.size, content_type=content_type, encoding=encoding, secrets=secrets
            ),
            is_cut=reading.size > SNIPPET_BYTES,
            retry_after=retry_after_seconds(reading.header(b"retry-after"), clock.utcnow()),
            location=clean(reading.header(b"location"), secrets, limit=LOCATION_BYTES),
        )

    def _address(self) -> str:
        """Of a connection that stands, used again or not, else the last one tried."""
        return self.handle.getinfo(pycurl.PRIMARY_IP) or self._guard.dialled or self._guard.refused


def _header_lines(call: Call) -> list[bytes]:
    """``Name;`` is how curl is told of a header without a value, ``Expect:`` how to leave its own out."""
    lines = [f"{name}: {text}" if (text := value.strip()) else f"{name};" for name, value in call.headers]
    return [line.encode() for line in (*lines, "Expect:")]
