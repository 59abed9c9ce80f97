"""The undertaker: consumes ``jobs.dead`` in the workers of the default queue, buries runs whose messages died, keeps
what is not ours.

It ends only a run that is queued with the message's own token; every other message of ours is an old one and is
acknowledged. What is not ours is stored whole as a dead letter and acknowledged after the commit: a crash between the
two stores it twice, and never loses it. What cannot be stored (a body over 16 MB, headers that no database takes, more
than 64 MB waiting) stays in the queue: held back unacknowledged, a thousand at most, so that it does not come round and
round, and returned every quarter of an hour, before the broker's timeout for acknowledgements.

The writing is done in a thread of its own, so a database that is away holds up nothing else; it is tried again until it
is back. When the process dies, the broker delivers the messages again and burying again changes nothing.
"""

from __future__ import annotations

import contextlib
from typing import Any

from celery import bootsteps
from kombu import Consumer

from jobs import log
from jobs.broker import topology
from jobs.broker.untouched import leave_untouched
from jobs.conf import DEFAULT_QUEUE
from jobs.domain.letters import MAX_BODY
from jobs.worker.burials import Burials, Item
from jobs.worker.dead_letter import is_marker, read_run

_HELD_MAX = 1000
_WAITING_MAX = 4 * MAX_BODY
_RETURN_SECONDS = 15 * 60.0


class Undertaker(bootsteps.ConsumerStep):
    """The consumer step. All of it runs on the event loop; the writing is :class:`Burials`'."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self._parent = parent
        self._burials = Burials(on_done=lambda *answer: parent.call_soon(self._answer, *answer))
        self._held: list[Any] = []
        self._waiting_bytes = 0

    def include_if(self, parent: Any) -> bool:
        """Only in workers of the default queue."""
        return DEFAULT_QUEUE in parent.app.amqp.queues.consume_from

    def get_consumers(self, channel: Any) -> list[Consumer]:
        """One consumer, which takes messages as they are: undecodable ones are what it is for."""
        leave_untouched(channel)
        return [
            Consumer(
                channel,
                queues=[topology.dead_letter_queue()],
                on_message=self._on_message,
                on_decode_error=lambda message, error: self._on_message(message),
                accept=None,
                prefetch_count=_HELD_MAX,
            )
        ]

    def start(self, parent: Any) -> None:
        """Consume, also anew after a lost connection, when what was held or waited has gone back by itself."""
        self._held = []
        self._burials.forget()
        self._waiting_bytes = 0
        super().start(parent)
        parent.timer.call_repeatedly(_RETURN_SECONDS, self._return_held)

    def shutdown(self, parent: Any) -> None:
        """End the thread; what it has not written is delivered again."""
        self._burials.stop()
        super().shutdown(parent)

    def _on_message(self, message: Any) -> None:
        try:
            self._take(message)
        except Exception as error:  # an exception from here would end the worker
            log.error("undertaker.failed", error=repr(error))

    def _take(self, message: Any) -> None:
        headers = message.headers or {}
        dead = read_run(headers)
        if not dead and is_marker(headers):
            _acknowledge(message)
        elif dead or self._has_room_for(message):
            self._waiting_bytes += _size(message)
            self._burials.put(Item(message, dead))
        else:
            self._hold_back(message)

    def _has_room_for(self, message: Any) -> bool:
        return _size(message) <= MAX_BODY and self._waiting_bytes + _size(message) <= _WAITING_MAX

    def _answer(self, message: Any, is_stored: bool) -> None:
        self._waiting_bytes = max(0, self._waiting_bytes - _size(message))
        if is_stored:
            _acknowledge(message)
        else:
            self._hold_back(message)

    def _hold_back(self, message: Any) -> None:
        message.body = None  # only its delivery tag is needed
        self._held.append(message)
        if len(self._held) in (1, _HELD_MAX):
            log.warning("undertaker.not_ours", held=len(self._held), of=_HELD_MAX)

    def _return_held(self) -> None:
        held, self._held = self._held, []
        for message in held:
            with contextlib.suppress(Exception):  # the channel may be gone: then it is back already
                message.requeue()


def _size(message: Any) -> int:
    return len(message.body or b"")


def _acknowledge(message: Any) -> None:
    """On the event loop; on a channel that is gone it means nothing, since the message comes again."""
    with contextlib.suppress(Exception):
        message.ack()
