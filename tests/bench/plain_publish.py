"""The peer of dispatch: py-amqp alone, publishing to a quorum queue, one wait for 500 confirms."""

from __future__ import annotations

import os
import time
from urllib.parse import unquote, urlsplit

import amqp

from jobs.domain.messages import EXCHANGE

BATCH = 500


def publish_alone(queue: str, count: int, headers: dict[str, object], body: bytes) -> float:
    """Messages a second for ``count`` persistent, mandatory messages with these headers."""
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
        unconfirmed: set[int] = set()
        channel.events["basic_ack"].add(lambda tag, multiple: _confirm(unconfirmed, tag, multiple))
        began = time.perf_counter()
        for number in range(1, count + 1):
            message = amqp.Message(
                body,
                application_headers=headers,
                delivery_mode=2,
                content_type="application/json",
                content_encoding="utf-8",
            )
            channel._basic_publish(message, EXCHANGE, queue, mandatory=True)
            unconfirmed.add(number)
            while unconfirmed and (number % BATCH == 0 or number == count):
                connection.drain_events(timeout=30)
        return count / (time.perf_counter() - began)


def _confirm(unconfirmed: set[int], tag: int, multiple: bool) -> None:
    if multiple:
        unconfirmed.difference_update({number for number in unconfirmed if number <= tag})
    else:
        unconfirmed.discard(tag)
