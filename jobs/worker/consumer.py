"""Celery's consumer with the clerk beside it: what arrives for us goes to the clerk, the rest is Celery's as ever."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

from celery.exceptions import InvalidTaskError, WorkerShutdown
from celery.utils.log import get_logger
from celery.worker.state import maybe_shutdown

from jobs import log
from jobs.broker import topology
from jobs.broker.absence import Absence
from jobs.broker.encoding import MARKER_TASK
from jobs.conf import config
from jobs.domain.messages import EXCHANGE, MARKER_HEADER, RUN_HEADER, RunKey
from jobs.errors import TopologyError
from jobs.store.leases import Published
from jobs.worker.celery_parts import Consumer
from jobs.worker.clerk import Clerk
from jobs.worker.farewell import bound_farewells, leave_events
from jobs.worker.incoming import read_in_pieces
from jobs.worker.late_starts import hear_late_starts
from jobs.worker.request import has_processes
from jobs.worker.timers import drop_cancelled

_logger = get_logger(__name__)
_MAINTAIN_EVERY = 0.5
"""Seconds between looks at the pool's processes; Celery's own five would leave a dead child's slot empty that long."""

_TIDY_EVERY = 5.0
_RECONNECT_EVERY = 1.0

_TYPED = "__type__"
"""What kombu writes for values that JSON has not."""

Handler = Callable[..., Any]


class JobsConsumer(Consumer):
    """Consumes our queues. ``handlers`` holds Celery's own strategy of each task, for the runs that were claimed."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.clerk = Clerk(self)
        self.handlers: dict[str, Handler] = {}
        self._is_maintained = False
        self._absence = Absence()  # one may last over several tries of Celery's to start anew
        super().__init__(*args, **options)

    def update_strategies(self) -> None:
        """Before each (re)start of consuming, and when the pool reloads: wrap what Celery has just built."""
        self._check_topology()
        self.clerk.start()
        super().update_strategies()
        self.handlers = dict(self.strategies)
        for name, handler in self.handlers.items():
            self.strategies[name] = self._ours_first(handler)
        self.strategies[MARKER_TASK] = self._on_marker

    def connect(self) -> Any:
        """The connection that the loop reads."""
        made = super().connect()
        if self.hub:
            read_in_pieces(made.connection, self.hub)
        return made

    def ensure_connected(self, conn: Any) -> Any:
        """After a lost connection, try about every second and never give up. Celery waits ever longer, up to 30 s each
        time, and ends the worker after a hundred tries.
        """
        if self.first_connection_attempt or not self.app.conf.broker_connection_retry:
            return super().ensure_connected(conn)
        wait = _RECONNECT_EVERY * (1 + random.random() / 2)  # noqa: S311  # not all workers at once
        made = conn.ensure_connection(
            partial(_tell_of_absence, conn, self._absence),
            interval_start=wait,
            interval_step=0,
            interval_max=wait,
            callback=maybe_shutdown,
        )
        if (fields := self._absence.ended()) is not None:
            log.event("worker.broker_back", broker=made.as_uri(), **fields)
        return made

    def on_connection_error_after_connected(self, exc: Exception) -> None:
        """The connection is lost: leave that of events too."""
        leave_events(self)
        super().on_connection_error_after_connected(exc)

    def on_close(self) -> None:
        """The connection is gone, and Celery forgets what has not started: hear first what has."""
        if has_processes(self.pool):
            _quietly(partial(hear_late_starts, self.pool._pool))
        super().on_close()

    def stop(self) -> None:
        """Close, and wait for no answer for long."""
        bound_farewells(self)
        super().stop()

    def _check_topology(self) -> None:
        """Make what is missing. With a queue that was declared otherwise Celery would reconnect for ever."""
        try:
            with self.app.connection_for_read() as connection:
                topology.declare(connection)
                self._declare_other_queues(connection)
        except TopologyError as error:
            log.error("worker.topology", problem=error)
            raise WorkerShutdown(1) from error

    def _declare_other_queues(self, connection: Any) -> None:
        """Celery binds all queues that the app knows for its delayed delivery, and gives up at the first one that
        nobody has made yet. One that was made otherwise is Celery's to tell.
        """
        for queue in self.app.amqp.queues.values():
            if queue.exchange.name and queue.name not in config().queues:
                with contextlib.suppress(*self.channel_errors), connection.channel() as channel:
                    queue(channel).declare()

    def on_ready(self) -> None:
        """Consuming begins; timers set here outlive a reconnect."""
        super().on_ready()
        if self.hub and not self._is_maintained:
            self._is_maintained = True
            self.hub.call_repeatedly(_MAINTAIN_EVERY, _quietly, self.pool.maintain_pool)
            self.hub.call_repeatedly(_TIDY_EVERY, _quietly, partial(drop_cancelled, self.hub.timer))

    def _ours_first(self, handler: Handler) -> Handler:
        def on_message(message: Any, body: Any, ack: Any, reject: Any, callbacks: Any) -> Any:
            if RUN_HEADER not in message.headers:
                return handler(message, body, ack, reject, callbacks)
            return self._on_run(message)

        return on_message

    def _on_run(self, message: Any) -> None:
        """Decoded before it is claimed: the undertaker ends only runs that are still queued."""
        published = _published(message)
        _check_body(message)
        self.clerk.arrived(message, published)

    def _on_marker(self, message: Any, *_: Any) -> None:
        marker = message.headers[MARKER_HEADER]
        self.clerk.arrived_marker(message, str(marker["queue"]), datetime.fromisoformat(marker["sent_at"]))

    def create_task_handler(self, *args: Any, **options: Any) -> Handler:
        """Celery's, with a net: an exception that left it would end the worker."""
        plain = super().create_task_handler(*args, **options)

        def on_task_received(message: Any) -> None:
            try:
                plain(message)
            except self.connection_errors + self.channel_errors:
                raise
            except Exception as error:
                if not _is_ours(message):
                    raise
                self._bury(message, error)

        return on_task_received

    def on_unknown_task(self, body: Any, message: Any, exc: Exception) -> None:
        """A run's task may be known to a newer worker: it is put off. Nothing is written to the result backend."""
        if RUN_HEADER in message.headers:
            self.clerk.arrived_unknown(message, _published(message), str(message.headers["task"]))
        else:
            super().on_unknown_task(body, message, exc)

    def on_decode_error(self, message: Any, exc: Exception) -> None:
        """What cannot be decoded goes to the dead letters; Celery would acknowledge and so lose it."""
        if _is_ours(message):
            self._bury(message, exc)
        else:
            super().on_decode_error(message, exc)

    def _bury(self, message: Any, error: Exception) -> None:
        log.error("message.rejected", queue=message.delivery_info.get("routing_key"), error=repr(error))
        if not message.acknowledged:
            message.reject_log_error(_logger, self.connection_errors, requeue=False)


def _published(message: Any) -> Published:
    """What the run header says; InvalidTaskError when it cannot be read."""
    header = message.headers[RUN_HEADER]
    try:
        return Published(RunKey.parse(header["key"]), int(header["token"]))
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise InvalidTaskError(f"The header {RUN_HEADER} cannot be read: {header!r}"[:300]) from error


def _check_body(message: Any) -> None:
    """InvalidTaskError, or the decoder's own error, unless the body can be given to the task.

    Our own messages are plain JSON: Celery's decoder takes ten times as long for the same answer.
    """
    is_plain = message.content_type == "application/json" and message.content_encoding == "utf-8"
    payload = json.loads(message.body) if is_plain else message.decode()
    if is_plain and isinstance(message.body, str) and _TYPED not in message.body:
        message._decoded_cache = payload  # Celery's strategy asks for it again, only to look at its form
    if not isinstance(payload, list) or len(payload) != 3:
        raise InvalidTaskError("The body is not [args, kwargs, embed].")


def _is_ours(message: Any) -> bool:
    delivery = message.delivery_info or {}
    return (
        delivery.get("exchange") == EXCHANGE
        or delivery.get("routing_key") in config().queues
        or (isinstance(message.headers, dict) and RUN_HEADER in message.headers)
    )


def _tell_of_absence(conn: Any, absence: Absence, error: Exception, interval: float) -> None:
    if (fields := absence.failed()) is not None:
        again = f"{interval:.1f}s"
        log.warning("worker.broker_away", broker=conn.as_uri(), error=repr(error), again_in=again, **fields)


def _quietly(maintain: Callable[[], object]) -> None:
    try:
        maintain()
    except Exception as error:
        log.error("worker.maintain_failed", error=repr(error))
