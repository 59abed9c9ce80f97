"""Publish one message and wait until the broker holds it, or says why not. For what is rare: no pool, no batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import amqp
from celery.app import app_or_default

from jobs.errors import ConflictError, DependencyError

_SECONDS = 10.0
_NO_ROUTE = 312


def post(
    body: bytes, *, exchange: str, routing_key: str, headers: Mapping[str, Any], properties: Mapping[str, Any]
) -> None:
    """Publish as ``mandatory`` and return when it is confirmed. Never within a database transaction (I9).

    ConflictError: no queue takes it, or the broker refuses it. DependencyError: the broker is away or silent, and
    whether it has the message is unknown.
    """
    message = amqp.Message(body, application_headers=dict(headers), **properties)
    try:
        _publish(message, exchange, routing_key)
    except amqp.ChannelError as error:
        where = f'queue "{routing_key}"' if not exchange else f'exchange "{exchange}", routing key "{routing_key}"'
        why = "no queue is there" if error.reply_code == _NO_ROUTE else error.reply_text
        raise ConflictError(f"The broker did not take the message for {where}: {why}.") from error
    except (OSError, amqp.AMQPError) as error:
        raise DependencyError(f"The broker did not do its part: {error or type(error).__name__}. Try again.") from error


def _publish(message: amqp.Message, exchange: str, routing_key: str) -> None:
    parameters = app_or_default().connection_for_write(connect_timeout=_SECONDS, heartbeat=0)
    connection: Any = parameters.transport.establish_connection()
    try:
        connection.sock.settimeout(_SECONDS)
        channel = connection.channel()
        # A returned message raises from within: it comes before its confirm.
        channel.basic_publish_confirm(
            message, exchange=exchange, routing_key=routing_key, mandatory=True, confirm_timeout=_SECONDS
        )
    finally:
        connection.collect()
