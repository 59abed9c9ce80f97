"""From curl's error to a failure in words: which kind, how far the call came, and what to do."""

from __future__ import annotations

import errno
import os
from typing import NamedTuple

import pycurl

from jobs.domain.answers import FailureKind
from jobs.targets.egress import Guard
from jobs.targets.lookup import unknown_host
from jobs.targets.reading import HEADER_BYTES, Reading

_TLS = frozenset(
    {
        pycurl.E_SSL_CONNECT_ERROR,
        pycurl.E_PEER_FAILED_VERIFICATION,
        pycurl.E_SSL_CERTPROBLEM,
        pycurl.E_SSL_CIPHER,
        pycurl.E_SSL_CACERT_BADFILE,
        pycurl.E_SSL_ISSUER_ERROR,
        pycurl.E_SSL_INVALIDCERTSTATUS,
        pycurl.E_USE_SSL_FAILED,
    }
)
_KINDS = {
    pycurl.E_COULDNT_CONNECT: FailureKind.CONNECTION,
    pycurl.E_GOT_NOTHING: FailureKind.CONNECTION,
    pycurl.E_SEND_ERROR: FailureKind.CONNECTION,
    pycurl.E_PARTIAL_FILE: FailureKind.CONNECTION,
    pycurl.E_COULDNT_RESOLVE_HOST: FailureKind.UNRESOLVED,
    pycurl.E_OPERATION_TIMEDOUT: FailureKind.TIMED_OUT,
    **dict.fromkeys(_TLS, FailureKind.TLS),
}
# The number may be left over from another address that was tried before, hence the list.
_BROKEN = frozenset({errno.ECONNRESET, errno.ECONNABORTED, errno.EPIPE, errno.ETIMEDOUT, errno.EHOSTUNREACH})


class Ending(NamedTuple):
    """How a call ended without an answer. ``code``, ``said``, ``error_number`` are curl's; ``seconds`` the deadline."""

    code: int
    said: str
    host: str
    seconds: float
    error_number: int
    is_connected: bool
    is_sent: bool


def failure_of(ending: Ending, guard: Guard, reading: Reading) -> tuple[FailureKind, str]:
    """The kind of failure and its message."""
    if reading.has_too_many_headers:
        return FailureKind.PROTOCOL, f"The answer's headers are over {HEADER_BYTES // 1024} kB; the call was ended."
    if ending.code == pycurl.E_COULDNT_CONNECT and guard.refused and not guard.dialled:
        return FailureKind.REFUSED_ADDRESS, f'The host "{ending.host}" is refused: {guard.refusal}'
    kind = _kind(ending)
    return kind, _message(kind, ending, guard, reading)


def _kind(ending: Ending) -> FailureKind:
    """A receive error is a broken connection where the system said so; else curl could not read what came."""
    if ending.code == pycurl.E_RECV_ERROR:
        return FailureKind.CONNECTION if ending.error_number in _BROKEN else FailureKind.PROTOCOL
    return _KINDS.get(ending.code, FailureKind.PROTOCOL)


def _message(kind: FailureKind, ending: Ending, guard: Guard, reading: Reading) -> str:
    host = ending.host
    match kind:
        case FailureKind.TIMED_OUT:
            return f"{_reached(ending, guard, reading)} within {ending.seconds:g} s."
        case FailureKind.UNRESOLVED:
            return unknown_host(host, ending.said)
        case FailureKind.TLS:
            return f'No TLS connection to "{host}": {ending.said}. Certificates are always verified.'
        case FailureKind.CONNECTION if not ending.is_connected:
            return _unconnected(ending, guard)
        case FailureKind.CONNECTION:
            return f'The connection to "{host}" broke: {ending.said}. The endpoint may have acted on the call.'
        case _ if ending.is_sent:
            return f'The answer of "{host}" cannot be read: {ending.said}.'
        case _:
            return f"The call could not be made: {ending.said}."


def _reached(ending: Ending, guard: Guard, reading: Reading) -> str:
    if reading.status_line:
        return "The answer did not end"
    if ending.is_sent:
        return "No answer"
    if ending.is_connected:
        return f'No TLS connection to "{ending.host}"'
    if guard.dialled:
        return f'No connection to "{ending.host}" ({guard.dialled})'
    return f'The host "{ending.host}" could not be looked up'


def _unconnected(ending: Ending, guard: Guard) -> str:
    why = os.strerror(ending.error_number) if ending.error_number else ending.said
    other = f" Another address is refused: {guard.refusal}" if guard.refusal else ""
    if guard.no_socket:
        return f'No socket to call "{ending.host}": {guard.no_socket}{other}'
    return f'No connection to "{ending.host}" ({guard.dialled or "no address"}): {why}.{other}'
