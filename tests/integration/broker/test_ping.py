"""The health check of containers: a ping that only a live node answers."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from uuid import uuid4

import pytest
from celery import Celery
from kombu import Connection

from deploy.docker import ping


@pytest.fixture
def node() -> Iterator[str]:
    """A node that listens as workers and beat do."""
    name = f"test-{uuid4().hex[:8]}@here"
    is_over = threading.Event()
    with Celery(broker=os.environ["BROKER_URL"], set_as_current=False) as app, app.connection_for_read() as connection:
        listener = app.control.mailbox.Node(
            name, handlers={"ping": lambda _: {"ok": "pong"}}, channel=connection.channel()
        )
        with listener.listen():
            thread = threading.Thread(target=_serve, args=(connection, is_over))
            thread.start()
            yield name
            is_over.set()
            thread.join()


def _serve(connection: Connection, is_over: threading.Event) -> None:
    while not is_over.is_set():
        try:
            connection.drain_events(timeout=0.1)
        except TimeoutError:
            continue


def test_a_node_that_listens_answers(node: str) -> None:
    assert ping.answers(node, broker=os.environ["BROKER_URL"])


def test_a_node_that_does_not_listen_gives_no_answer(node: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others that do listen must not answer in its place."""
    monkeypatch.setattr(ping, "_SECONDS", 0.5)

    assert not ping.answers(f"not-{node}", broker=os.environ["BROKER_URL"])
