"""Plain Celery that makes HTTP calls, as a team would write it."""

from __future__ import annotations

import threading

import requests

from tests.bench.plain_app import app

_local = threading.local()


@app.task(name="plain.post")
def post(url: str) -> None:
    """POST, with a session a thread, so that connections are kept."""
    session = _local.__dict__.setdefault("session", requests.Session())
    session.post(url, json={"job": "plain"}, timeout=30).raise_for_status()
