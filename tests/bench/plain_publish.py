"""The peers of dispatch: py-amqp alone, and frames that were encoded once; 500 confirms of a quorum queue at a time."""

from __future__ import annotations

import json
import os
import struct
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import unquote, urlsplit

import amqp
from amqp.serialization import dumps

from jobs.domain.messages import EXCHANGE

BATCH = 500
_METHOD, _HEADER, _BODY, _FRAME_END = 1, 2, 3, b"\xce"
_BASIC, _PUBLISH, _MANDATORY = 60, 40, 1


def publish_alone(queue: str, count: int) -> float:
    """Messages a second for ``count`` persistent, mandatory messages like a run's, each encoded by py-amqp."""
    with _channel() as channel:

        def send() -> None:
            channel._basic_publish(_message(), EXCHANGE, queue, mandatory=True)

        return _rate(channel, count, send)


def publish_frames(queue: str, count: int) -> float:
    """The same message ``count`` times, encoded once: what is left is the broker's work."""
    with _channel() as channel:
        write = channel.connection.transport.sock.sendall
        frames = _frames(channel.channel_id, queue, _message())
        return _rate(channel, count, lambda: write(frames))


def _message() -> amqp.Message:
    """One with the headers and the body of a run's message."""
    name = str(uuid.uuid4())
    headers: dict[str, object] = {
        "lang": "py",
        "task": "tests.support.bodies.noop",
        "id": name,
        "root_id": name,
        "parent_id": None,
        "group": None,
        "retries": 0,
        "timelimit": [1800, None],
        "eta": None,
        "expires": None,
        "shadow": "due-1",
        "argsrepr": "…",
        "kwargsrepr": "…",
        "origin": "beatkeeper",
        "ignore_result": True,
        "jobs-run": {"key": "1-1790000000000000", "token": 0},
    }
    return amqp.Message(
        json.dumps([[], {}, {"callbacks": None, "errbacks": None, "chain": None, "chord": None}]).encode(),
        application_headers=headers,
        delivery_mode=2,
        content_type="application/json",
        content_encoding="utf-8",
    )


def _frames(channel: int, queue: str, message: amqp.Message) -> bytes:
    """A ``basic.publish`` with its content, as AMQP 0-9-1 has it."""
    method = struct.pack(">HH", _BASIC, _PUBLISH) + dumps("Bssb", (0, EXCHANGE, queue, _MANDATORY))
    header = struct.pack(">HHQ", _BASIC, 0, len(message.body)) + message._serialize_properties()
    return b"".join(
        struct.pack(">BHI", kind, channel, len(content)) + content + _FRAME_END
        for kind, content in ((_METHOD, method), (_HEADER, header), (_BODY, message.body))
    )


@contextmanager
def _channel() -> Iterator[amqp.Channel]:
    """A channel with confirms, on a connection of its own."""
    url = urlsplit(os.environ["BROKER_URL"])
    connection = amqp.Connection(
        host=f"{url.hostname}:{url.port}",
        userid=unquote(url.username or ""),
        password=unquote(url.password or ""),
        virtual_host=unquote(url.path[1:]),
    )
    with connection:
        channel = connection.channel()
        channel.confirm_select()
        yield channel


def _rate(channel: amqp.Channel, count: int, send: Callable[[], object]) -> float:
    """Messages a second, the last confirm included."""
    unconfirmed: set[int] = set()
    channel.events["basic_ack"].add(lambda tag, multiple: _confirm(unconfirmed, tag, multiple))
    began = time.perf_counter()
    for number in range(1, count + 1):
        send()
        unconfirmed.add(number)
        while unconfirmed and (number % BATCH == 0 or number == count):
            channel.connection.drain_events(timeout=30)
    return count / (time.perf_counter() - began)


def _confirm(unconfirmed: set[int], tag: int, multiple: bool) -> None:
    if multiple:
        unconfirmed.difference_update({number for number in unconfirmed if number <= tag})
    else:
        unconfirmed.discard(tag)
