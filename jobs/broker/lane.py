"""One queue's way to the broker: a channel of its own and at most one batch under way.

While confirms of a batch are missing nothing more goes this way: a blocked broker may hold a batch for long and still
take it, so no second copy leaves before the channel is closed. After a failure the lane pauses (1 s, doubling up to
30 s), opens a new channel, makes its queue anew where that is missing, and lets one message go before full batches.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import amqp

from jobs import log
from jobs.broker import topology
from jobs.broker.channel import ConfirmChannel
from jobs.broker.encoding import Address, Content
from jobs.broker.pause import Pause
from jobs.clock import monotonic
from jobs.errors import TopologyError

# py-amqp raises AttributeError where it meets a connection that another call has just given up.
CONNECTION_ERRORS: tuple[type[Exception], ...] = (OSError, amqp.AMQPError, AttributeError)
_LONGEST_PAUSE_SECONDS = 30.0
_SLOW_SECONDS = 30.0


class Lane:
    """Publishes batches to one queue and says what became of them."""

    def __init__(self, queue: str) -> None:
        self.queue = queue
        self.pause = Pause(_LONGEST_PAUSE_SECONDS)
        self.needs_probe = False
        self._failed_because = ""
        self._channel: ConfirmChannel | None = None
        self._address: Address | None = None
        self._batch: Sequence[Content] = ()
        self._tags = range(0)
        self._published_at = 0.0
        self._slow_at = 0.0

    @property
    def is_free(self) -> bool:
        """Whether a batch may be published now."""
        return not self._batch and self.pause.is_over

    @property
    def is_waiting(self) -> bool:
        """Whether the broker still owes answers to a batch."""
        channel = self._channel
        return bool(self._batch and channel and channel.unconfirmed and not channel.closed_because)

    def is_expected(self, within: float) -> bool:
        """Whether an answer is owed to a batch that was published less than so many seconds ago."""
        return self.is_waiting and monotonic() - self._published_at < within

    @property
    def is_answered(self) -> bool:
        """Whether a batch is to be taken: the broker has said of it all that it will say."""
        return bool(self._batch) and not self.is_waiting

    @property
    def trouble(self) -> str:
        """Why nothing goes this way, in words; empty while it works."""
        if self.is_waiting and monotonic() - self._published_at > _SLOW_SECONDS:
            return f"The broker has not answered a batch for over {_SLOW_SECONDS:g} s."
        return self._failed_because

    def publish(self, connection: amqp.Connection, batch: Sequence[Content]) -> None:
        """Write a batch. A channel that cannot be had fails the lane; connection errors are the caller's."""
        try:
            channel, address = self._opened(connection)
        except (TopologyError, amqp.ChannelError) as error:
            self._fail(str(error))
            return
        self._batch, self._tags = batch, channel.next_tags(len(batch))
        self._published_at = monotonic()
        self._slow_at = self._published_at + _SLOW_SECONDS
        connection.transport.write(b"".join(map(address.frames, batch)))
        connection.bytes_sent += 1  # what the heart is judged by

    def take(self) -> list[bool]:
        """For each message of the answered batch, whether the broker holds it; the lane is then free, or paused."""
        channel, batch = self._channel, self._batch
        if channel is None:
            return []
        held = [self._is_held(channel, tag, content) for tag, content in zip(self._tags, batch, strict=True)]
        if all(held):
            self._batch = ()
            self.pause.end()
            self.needs_probe, self._failed_because = False, ""
        else:
            self._fail(self._fault(channel))
        return held

    def watch(self) -> None:
        """Say every half minute that a batch still waits for the broker's answer."""
        if self.is_waiting and monotonic() >= self._slow_at:
            self._slow_at = monotonic() + _SLOW_SECONDS
            log.warning("publish.unconfirmed", queue=self.queue, messages=len(self._batch))

    def forget(self) -> None:
        """The connection is gone, and with it the channel; what was under way is unknown."""
        self.needs_probe = self.needs_probe or bool(self._batch)
        self._batch, self._channel = (), None

    def _opened(self, connection: amqp.Connection) -> tuple[ConfirmChannel, Address]:
        if self._channel is None or self._address is None:
            topology.declare_queue(connection, self.queue)
            self._channel = channel = ConfirmChannel.opened(connection)
            number: int = channel.channel_id  # type: ignore[assignment]  # None only when closed
            self._address = Address(channel_id=number, frame_max=connection.frame_max, queue=self.queue)
        return self._channel, self._address

    @staticmethod
    def _is_held(channel: ConfirmChannel, tag: int, content: Content) -> bool:
        return not (tag in channel.unconfirmed or tag in channel.refused or content.task_id in channel.returned)

    def _fault(self, channel: ConfirmChannel) -> str:
        if channel.closed_because:
            return f"The broker closed the channel: {channel.closed_because}"
        if channel.returned:
            return f'No queue took messages for "{self.queue}". It is made anew at the next try.'
        return f'The queue "{self.queue}" refused messages.'

    def _fail(self, why: str) -> None:
        channel = self._channel
        self._batch, self._channel, self.needs_probe, self._failed_because = (), None, True, why
        self.pause.lengthen()
        log.error("publish.failed", queue=self.queue, why=why, again_in=f"{self.pause.seconds:g}s")
        if channel is not None and not channel.closed_because:
            with contextlib.suppress(*CONNECTION_ERRORS):
                channel.close()
