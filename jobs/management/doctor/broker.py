"""RabbitMQ, and Redis for the results of ordinary tasks."""

from __future__ import annotations

from collections.abc import Iterator

import redis
from celery.app import app_or_default
from kombu import Connection

from jobs.broker import topology
from jobs.errors import TopologyError
from jobs.management.doctor.finding import Finding, fault, ok, warn

_SECONDS = 3


def broker_findings() -> Iterator[Finding]:
    """Whether the broker answers and holds our queues as they should be."""
    with _connection() as connection:
        where = connection.as_uri()
        if connection.transport.driver_type != "amqp":
            yield fault(
                "broker", f"{where} is not RabbitMQ: the promise holds on no other.", "Set BROKER_URL to amqp://…"
            )
            return
        try:
            connection.connect()
        except (*connection.connection_errors, *connection.channel_errors) as error:
            yield fault("broker", f"{where} does not answer: {error}", "Start RabbitMQ, or correct BROKER_URL.")
            return
        version = connection.connection.server_properties.get("version", "of an unknown version")
        yield ok("broker", f"RabbitMQ {version} answers at {where}.")
        yield _topology(connection)


def _topology(connection: Connection) -> Finding:
    try:
        missing = topology.check(connection)
    except TopologyError as error:
        return fault("topology", str(error), "See there.")
    if missing:
        return warn(
            "topology", f"Not there yet: {', '.join(missing)}.", "Beat and the workers make them when they start."
        )
    return ok("topology", "Exchanges and queues are as they should be.")


def redis_findings() -> Iterator[Finding]:
    """Runs do not need it; ordinary tasks' results do."""
    url = app_or_default().conf.result_backend or ""
    if not url.startswith(("redis://", "rediss://")):
        yield ok("redis", "No Redis is set as result backend; runs need none.")
        return
    try:
        with redis.Redis.from_url(url, socket_connect_timeout=_SECONDS, socket_timeout=_SECONDS) as client:
            client.ping()
    except redis.RedisError as error:
        yield warn(
            "redis",
            f"Redis does not answer: {error}",
            "Start it, or correct REDIS_URL. Runs go on; results of ordinary tasks are lost.",
        )
    else:
        yield ok("redis", "Redis answers.")


def _connection() -> Connection:
    waits = {"read_timeout": _SECONDS, "write_timeout": _SECONDS, "max_retries": 0}
    return Connection(app_or_default().conf.broker_url, connect_timeout=_SECONDS, transport_options=waits)
