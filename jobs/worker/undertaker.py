"""The undertaker: consumes ``jobs.dead`` in the workers of the default queue and buries runs whose messages died.

It ends only a run that is queued with the message's own token; every other message of ours is an old one and is
acknowledged. What is not ours stays in the queue: it is held back unacknowledged, a thousand at most, so that it does
not come round and round, and is returned every quarter of an hour, before the broker's timeout for acknowledgements.

The writing is done in a thread of its own, so a database that is away holds up nothing but burials; they are tried
again until it is back. When the process dies, the broker delivers the messages again and burying again changes nothing.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from typing import Any

from celery import bootsteps
from django.db import connection
from kombu import Consumer

from jobs import log
from jobs.broker import topology
from jobs.broker.pause import Pause
from jobs.conf import DEFAULT_QUEUE
from jobs.services.bury import bury
from jobs.worker.dead_letter import DeadRun, is_marker, read_run

_HELD_MAX = 1000
_RETURN_SECONDS = 15 * 60.0
_LONGEST_PAUSE_SECONDS = 10.0


class Undertaker(bootsteps.ConsumerStep):
    """The consumer step. All but the thread's ``_work`` runs on the event loop."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self._parent = parent
        self._inbox: queue.SimpleQueue[tuple[Any, DeadRun] | None] = queue.SimpleQueue()
        self._foreign: list[Any] = []
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def include_if(self, parent: Any) -> bool:
        """Only in workers of the default queue."""
        return DEFAULT_QUEUE in parent.app.amqp.queues.consume_from

    def get_consumers(self, channel: Any) -> list[Consumer]:
        """One consumer, which takes messages as they are: undecodable ones are what it is for."""
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
        """Consume, also anew after a lost connection, when what was held has gone back by itself."""
        self._foreign = []
        super().start(parent)
        parent.timer.call_repeatedly(_RETURN_SECONDS, self._return_foreign)

    def shutdown(self, parent: Any) -> None:
        """End the thread; what it has not buried is delivered again."""
        self._stopping.set()
        self._inbox.put(None)
        super().shutdown(parent)

    def _on_message(self, message: Any) -> None:
        try:
            self._take(message)
        except Exception as error:  # an exception from here would end the worker
            log.error("undertaker.failed", error=repr(error))

    def _take(self, message: Any) -> None:
        headers = message.headers or {}
        if dead := read_run(headers):
            self._ensure_thread()
            self._inbox.put((message, dead))
        elif is_marker(headers):
            _acknowledge(message)
        else:
            self._hold_back(message)

    def _hold_back(self, message: Any) -> None:
        message.body = None  # only its delivery tag is needed
        self._foreign.append(message)
        if len(self._foreign) in (1, _HELD_MAX):
            log.warning("undertaker.not_ours", held=len(self._foreign), of=_HELD_MAX)

    def _return_foreign(self) -> None:
        foreign, self._foreign = self._foreign, []
        for message in foreign:
            with contextlib.suppress(Exception):  # the channel may be gone: then it is back already
                message.requeue()

    def _ensure_thread(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._work, name="undertaker", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        while not self._stopping.is_set():
            item = self._inbox.get()
            if item is not None:
                self._bury(*item)
            if self._inbox.empty():
                connection.close()  # burials are rare

    def _bury(self, message: Any, dead: DeadRun) -> None:
        pause = Pause(_LONGEST_PAUSE_SECONDS)
        while not self._stopping.is_set():
            try:
                bury(dead.key, dead.token, reason=dead.reason, message=dead.message)
            except Exception as error:  # the database is away, most likely
                pause.lengthen()
                log.error("undertaker.failed", run=dead.key, error=repr(error), again_in=f"{pause.seconds:g}s")
                connection.close()
                self._stopping.wait(pause.seconds)
            else:
                self._parent.call_soon(_acknowledge, message)
                return


def _acknowledge(message: Any) -> None:
    """On the event loop; on a channel that is gone it means nothing, since the message comes again."""
    with contextlib.suppress(Exception):
        message.ack()
