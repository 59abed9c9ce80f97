"""The peer: plain Celery on a quorum queue with no result backend."""

from __future__ import annotations

import os
import threading
import time

import requests
from celery import Celery
from kombu import Exchange, Queue

QUEUE = "plain"

app = Celery("plain", broker=os.environ.get("BROKER_URL"))
app.conf.update(
    task_queues=[
        Queue(QUEUE, Exchange(QUEUE, type="topic"), routing_key=QUEUE, queue_arguments={"x-queue-type": "quorum"})
    ],
    task_default_queue=QUEUE,
    task_default_exchange=QUEUE,
    task_default_exchange_type="topic",
    task_default_routing_key=QUEUE,
    task_ignore_result=True,
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


_local = threading.local()


@app.task(name="plain.post")
def post(url: str) -> None:
    """POST as a team would write it: a session a thread, so that connections are kept."""
    session = _local.__dict__.setdefault("session", requests.Session())
    session.post(url, json={"job": "plain"}, timeout=30).raise_for_status()
