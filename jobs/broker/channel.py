"""A channel that publishes in confirm mode and keeps count of what the broker has answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import amqp
from amqp import spec


class ConfirmChannel(amqp.Channel):
    """Counts confirms itself, and when the broker closes it stays closed.

    py-amqp's own channel opens itself anew, without confirm mode, and raises the closing into whoever happens to read
    the connection, which here may be another lane. This one says why in ``closed_because`` and lets others go on.
    """

    def __init__(self, connection: amqp.Connection) -> None:
        super().__init__(connection)
        self.closed_because = ""
        self.unconfirmed: set[int] = set()
        self.refused: set[int] = set()
        self.returned: set[str] = set()
        self._tag = 0
        self._oldest = 1
        events: dict[str, set[Callable[..., None]]] = self.events  # type: ignore[attr-defined]  # the stubs lack it
        events["basic_ack"].add(self._on_confirm)
        events["basic_nack"].add(self._on_refusal)
        events["basic_return"].add(self._on_return)

    @classmethod
    def opened(cls, connection: amqp.Connection) -> ConfirmChannel:
        """A new channel of the connection, in confirm mode."""
        channel = cls(connection)
        channel.open()
        channel.confirm_select()
        return channel

    def next_tags(self, count: int) -> range:
        """Expect this many more confirms; the broker numbers what is published on a channel from 1."""
        tags = range(self._tag + 1, self._tag + 1 + count)
        self._tag += count
        self.unconfirmed.update(tags)
        return tags

    def _on_confirm(self, tag: int, multiple: bool) -> None:
        self.unconfirmed.difference_update(self._answered(tag, multiple))

    def _on_refusal(self, tag: int, multiple: bool) -> None:
        self.refused.update(self.unconfirmed.intersection(self._answered(tag, multiple)))
        self._on_confirm(tag, multiple)

    def _answered(self, tag: int, multiple: bool) -> range:
        if not multiple:
            return range(tag, tag + 1)
        first, self._oldest = self._oldest, tag + 1
        return range(first, tag + 1)

    def _on_return(self, error: Any, exchange: str, routing_key: str, message: amqp.Message) -> None:
        """The broker returns what it cannot route just before it confirms it."""
        self.returned.add(message.properties.get("correlation_id", ""))

    def _on_close(self, reply_code: int, reply_text: str, class_id: int, method_id: int) -> None:
        self.send_method(spec.Channel.CloseOk)
        self.closed_because = f"{reply_code} {reply_text}"
        self.collect()
