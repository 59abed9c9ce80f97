"""Fill a queue with plain Celery's no-op tasks, each with an id of its own, faster than ``apply_async`` would."""

from __future__ import annotations

import json
import uuid

import amqp
from kombu import Connection

from tests.bench.plain_app import app, noop, quorum_queue
from tests.bench.turns import depth
from tests.support.waiting import wait_until


def fill(broker_url: str, queue: str, count: int) -> None:
    """Declare the queue and publish ``count`` tasks to it; returns when the broker has them all."""
    message = app.amqp.as_task_v2("", noop.name)
    body = json.dumps(message.body)
    with Connection(broker_url) as connection:
        quorum_queue(queue)(connection.default_channel).declare()
        channel = connection.channel()
        for _ in range(count):
            channel._basic_publish(_message(message, body), queue, queue)
        wait_until(lambda: depth(channel, queue) == count, timeout=60, what=f"{count} tasks in {queue}")


def _message(task: object, body: str) -> amqp.Message:
    task_id = str(uuid.uuid4())
    headers = {**task.headers, "id": task_id, "root_id": task_id}  # type: ignore[attr-defined]  # Celery's own tuple
    return amqp.Message(
        body,
        application_headers=headers,
        correlation_id=task_id,
        delivery_mode=2,
        content_type="application/json",
        content_encoding="utf-8",
    )
