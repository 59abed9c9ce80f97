"""The peer: plain Celery on quorum queues, without results unless ``PLAIN_RESULTS`` names a backend for them."""

from __future__ import annotations

import os
import time

from celery import Celery
from kombu import Exchange, Queue

QUEUE = os.environ.get("PLAIN_QUEUE", "plain")
RESULT_SECONDS = 600


def quorum_queue(name: str) -> Queue:
    """A quorum queue with an exchange of its name."""
    arguments = {"x-queue-type": "quorum"}
    return Queue(name, Exchange(name, type="topic"), routing_key=name, queue_arguments=arguments)


app = Celery("plain", broker=os.environ.get("BROKER_URL"), backend=os.environ.get("PLAIN_RESULTS"))
app.conf.update(
    task_queues=[quorum_queue(QUEUE)],
    task_default_queue=QUEUE,
    task_default_exchange=QUEUE,
    task_default_exchange_type="topic",
    task_default_routing_key=QUEUE,
    task_ignore_result="PLAIN_RESULTS" not in os.environ,
    result_expires=RESULT_SECONDS,
    broker_connection_retry_on_startup=True,
)


@app.task(name="plain.noop")
def noop() -> None:
    """Nothing."""


@app.task(name="plain.stamp")
def stamp(path: str) -> None:
    """Append this moment to a file."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(descriptor, f"{time.time():.6f}\n".encode())
    os.close(descriptor)
