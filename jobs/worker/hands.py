"""What the clerk has the event loop do: start claimed runs, acknowledge messages, end bodies.

An exception that leaves a callback of the loop ends the worker, so each one is caught here.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Any

from celery.exceptions import InvalidTaskError
from celery.utils.log import get_logger
from kombu.exceptions import ContentDisallowed, DecodeError

from jobs import log
from jobs.broker.encoding import acknowledgements
from jobs.conf import config
from jobs.domain.messages import RUN_HEADER
from jobs.domain.outcomes import Fault, Kind, Outcome
from jobs.worker.hold import Hold
from jobs.worker.request import HOLD_ATTRIBUTE

_logger = get_logger(__name__)


class Hands:
    """Posts work to the loop of one consumer. Each batch is one callback: the loop keeps no order between them."""

    def __init__(self, consumer: Any) -> None:
        self._consumer = consumer
        self._done_with: deque[Any] = deque()

    @property
    def pool_size(self) -> int:
        """How many bodies the pool runs at once."""
        return getattr(self._consumer.pool, "num_processes", None) or 1

    def start(self, holds: Sequence[Hold]) -> None:
        """Hand claimed runs to the pool."""
        if holds:
            self._post(self._start_all, holds)

    def acknowledge(self, messages: Sequence[Any]) -> None:
        """Take messages off the queue, their runs being settled or denied."""
        if messages:
            self._done_with.extend(messages)
            self._post(self.acknowledge_now)

    def end(self, holds: Sequence[Hold], signal: str) -> None:
        """End bodies that are being ended. While the broker is away the loop stands still: then it is done here."""
        if holds and self._consumer.connection is None:
            _guarded(self._end_all, holds, signal)
        elif holds:
            self._post(self._end_all, holds, signal)

    def acknowledge_now(self) -> None:
        """On the loop's own thread, take what is done with off the queue: one write for all, as each would cost a turn
        of the interpreter. The messages of a lost channel come again and are denied.
        """
        by_channel: dict[Any, list[Any]] = defaultdict(list)
        while self._done_with:
            message = self._done_with.popleft()
            if message.channel is not None and message.channel.connection is not None and not message.acknowledged:
                by_channel[message.channel].append(message)
        for channel, messages in by_channel.items():
            try:
                _acknowledge(channel, messages)
            except self._consumer.connection_errors as error:
                log.event("clerk.acks_lost", messages=len(messages), error=repr(error))

    def _post(self, act: Callable[..., None], *args: Any) -> None:
        self._consumer.call_soon(_guarded, act, *args)

    def _start_all(self, holds: Sequence[Hold]) -> None:
        for hold in holds:
            try:
                self._start(hold)
            except Exception as error:
                # Given to the pool it may run, and its end is told by the pool.
                log.error("run.not_started", run=hold.lease.key, job=hold.job, given=hold.given, error=repr(error))
                if not hold.given:
                    _tell(hold, _broken(Kind.FAILED, error))

    def _start(self, hold: Hold) -> None:
        if hold.ended:
            return
        if hold.ending:
            _tell(hold, Outcome(Kind.CANCELLED))
            return
        message = hold.message
        message.headers[RUN_HEADER] = {"key": str(hold.lease.key), "job": hold.job, "attempt": hold.attempt.number}
        message.headers["retries"] = hold.attempt.number - 1
        setattr(message, HOLD_ATTRIBUTE, hold)
        try:
            self._consumer.handlers[message.headers["task"]](message, None, _nothing, _nothing, ())
        except (InvalidTaskError, ContentDisallowed, DecodeError) as error:
            _tell(hold, _broken(Kind.REJECTED, error))
        finally:
            delattr(message, HOLD_ATTRIBUTE)  # the request has it; a ring would be left to the garbage collector

    def _end_all(self, holds: Sequence[Hold], signal: str) -> None:
        for hold in holds:
            request = hold.request
            if request is None or hold.ended:
                continue  # not begun here: its start finds the ending
            if hold.given:
                request.end(self._consumer.pool, signal)
            else:
                request.tell(Outcome(Kind.CANCELLED))


def _acknowledge(channel: Any, messages: Sequence[Any]) -> None:
    tags = [message.delivery_tag for message in messages]
    channel.connection.transport.write(acknowledgements(channel.channel_id, tags))
    for message in messages:
        message._state = "ACK"  # what Message.ack() notes


def _guarded(act: Callable[..., None], *args: Any) -> None:
    try:
        act(*args)
    except Exception as error:
        log.error("worker.callback_failed", callback=act.__name__, error=repr(error))
        _logger.exception("A callback of the event loop failed")


def _broken(kind: Kind, error: Exception) -> Outcome:
    return Outcome(kind, fault=Fault.bounded(type(error).__name__, str(error), limit=config().error_max))


def _tell(hold: Hold, outcome: Outcome) -> None:
    if request := hold.request:  # made, and known to Celery
        request.tell(outcome)
    elif not hold.ended:
        hold.ended = True
        hold.clerk.told(hold, outcome)


def _nothing(*_: Any, **__: Any) -> None:
    """The message is acknowledged by the clerk alone."""
