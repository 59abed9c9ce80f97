"""Messages as bytes, built from templates: what is the same for all runs of a task is encoded once.

py-amqp encodes a message's header table in about 50 us; filled into a template it takes a few. The layout is that of
AMQP 0-9-1 (frames in 4.2.3, the class ``basic``), with Celery's message protocol 2 in it.
"""

from __future__ import annotations

import functools
import json
import os
import socket
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from amqp.exceptions import FrameSyntaxError
from amqp.serialization import dumps

from jobs.domain.messages import EXCHANGE, MARKER_HEADER, RUN_HEADER, RunKey, task_id

MARKER_TASK = "jobs.marker"
MARKER_TTL_MILLISECONDS = 600_000
_MASKED = "…"
_EMBED = '{"callbacks":null,"errbacks":null,"chain":null,"chord":null}'

_METHOD, _HEADER, _BODY, _FRAME_END = 1, 2, 3, b"\xce"
_FRAME_OVERHEAD = 8
_BASIC, _PUBLISH, _ACK, _MANDATORY = 60, 40, 80, 1
_ACKNOWLEDGEMENT = struct.Struct(">HHQ?")
# Which properties follow, in this order.
_CONTENT_TYPE, _CONTENT_ENCODING, _HEADERS, _DELIVERY_MODE = 1 << 15, 1 << 14, 1 << 13, 1 << 12
_CORRELATION_ID, _EXPIRATION = 1 << 10, 1 << 8
_ALWAYS = _CONTENT_TYPE | _CONTENT_ENCODING | _HEADERS | _DELIVERY_MODE | _CORRELATION_ID
_JSON = b"\x10application/json\x05utf-8"
_PERSISTENT = b"\x02"
_ID_LENGTH = 36

_u32 = struct.Struct(">I").pack
_frame_head = struct.Struct(">BHI").pack
_content_head = struct.Struct(">BHIHHQ").pack
_flags = struct.Struct(">H").pack


@dataclass(frozen=True, slots=True)
class Content:
    """A message without its address: the properties as they follow the body's size, and the body."""

    task_id: str
    properties: bytes
    body: bytes


class Call(NamedTuple):
    """What a message takes from the job itself: its name and, as JSON texts, its arguments."""

    job: str
    args: str
    kwargs: str

    def replaced_by(self, payload: Mapping[str, Any]) -> Call:
        """With the ``args`` and ``kwargs`` that the payload of a run names in place of the job's."""
        return self._replace(**{name: json.dumps(payload[name]) for name in ("args", "kwargs") if name in payload})


class RunTemplate:
    """The messages of all runs of one task with the same limits: few, however many jobs there are."""

    def __init__(self, *, task: str, limits: tuple[float, float | None]) -> None:
        """``limits`` are (hard, soft) in seconds."""
        self._entries = _entries(
            _common(task) | {"timelimit": list(limits), "argsrepr": _MASKED, "kwargsrepr": _MASKED}
        )

    def content(self, key: RunKey, token: int, call: Call) -> Content:
        """The message of one attempt."""
        text, attempt, job = str(key).encode(), task_id(key, token), call.job.encode()
        run = b"\x03keyS%b%b\x05tokenI%b" % (_u32(len(text)), text, _u32(token))
        shadow = b"\x06shadowS%b%b" % (_u32(len(job)), job)
        entries = b"%b%b%bF%b%b" % (self._entries, shadow, _RUN_NAME, _u32(len(run)), run)
        body = f"[{call.args},{call.kwargs},{_EMBED}]".encode()
        return Content(attempt, _properties(attempt, entries), body)


def marker(queue: str, sent_at: datetime) -> Content:
    """A marker: it says through which queue it was sent and when, and is worth nothing after ten minutes."""
    attempt = task_id(RunKey(0, sent_at), 0)
    entries = _entries(_common(MARKER_TASK) | {MARKER_HEADER: {"queue": queue, "sent_at": sent_at.isoformat()}})
    expiration = str(MARKER_TTL_MILLISECONDS).encode()
    return Content(attempt, _properties(attempt, entries, expiration=expiration), b"[[],{},{}]")


class Address:
    """Encodes messages for one queue on one channel, as ``mandatory``."""

    def __init__(self, *, channel_id: int, frame_max: int, queue: str) -> None:
        self._channel_id = channel_id
        self._body_max = frame_max - _FRAME_OVERHEAD
        target = dumps("Bsso", (0, EXCHANGE, queue, _MANDATORY))
        self._method = self._frame(_METHOD, struct.pack(">HH", _BASIC, _PUBLISH) + target)

    def frames(self, content: Content) -> bytes:
        """The frames that publish one message."""
        size, properties = len(content.body), content.properties
        head = _content_head(_HEADER, self._channel_id, 12 + len(properties), _BASIC, 0, size)
        return b"".join((self._method, head, properties, _FRAME_END, *self._body_frames(content.body)))

    def _body_frames(self, body: bytes) -> Iterator[bytes]:
        for start in range(0, len(body), self._body_max):
            yield self._frame(_BODY, body[start : start + self._body_max])

    def _frame(self, kind: int, payload: bytes) -> bytes:
        return b"%b%b\xce" % (_frame_head(kind, self._channel_id, len(payload)), payload)


def acknowledgements(channel_id: int, delivery_tags: Sequence[int]) -> bytes:
    """The frames that acknowledge these messages, each by itself, to be written at once."""
    head = _frame_head(_METHOD, channel_id, _ACKNOWLEDGEMENT.size)
    return b"".join([b"%b%b\xce" % (head, _ACKNOWLEDGEMENT.pack(_BASIC, _ACK, tag, False)) for tag in delivery_tags])


def _common(task: str) -> dict[str, Any]:
    return {"lang": "py", "task": task, "retries": 0, "ignore_result": True, "origin": _origin(os.getpid())}


@functools.cache
def _origin(pid: int) -> str:
    return f"beatkeeper{pid}@{socket.gethostname()}"


def _entries(table: dict[str, Any]) -> bytes:
    """A table's entries without its length, so that more can follow; ValueError for what no table can hold."""
    try:
        encoded: bytes = dumps("F", (table,))
    except FrameSyntaxError as error:
        raise ValueError(str(error)) from error
    return encoded[4:]


_RUN_NAME = struct.pack(">B", len(RUN_HEADER)) + RUN_HEADER.encode()


def _properties(attempt: str, entries: bytes, *, expiration: bytes = b"") -> bytes:
    """Flags and properties; the task id stands in them three times."""
    identity = attempt.encode()
    length = _u32(_ID_LENGTH)
    table = b"%b\x02idS%b%b\x07root_idS%b%b" % (entries, length, identity, length, identity)
    return b"".join(
        (
            _flags(_ALWAYS | _EXPIRATION if expiration else _ALWAYS),
            _JSON,
            _u32(len(table)),
            table,
            _PERSISTENT,
            b"%c" % _ID_LENGTH,
            identity,
            b"%c%b" % (len(expiration), expiration) if expiration else b"",
        )
    )
