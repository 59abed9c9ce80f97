"""The programs that ``make up`` runs."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Sequence

from deploy.local.config import Config
from deploy.local.ports import HOST
from deploy.local.runner import Program

_RECEIVER = "scheduler_project.demo.receiver:application()"
# Its own limit of 4,094 characters would answer the API's longest queries in HTML.
_GUNICORN = ("--no-control-socket", "--limit-request-line=8190")
_CELERY = (sys.executable, "-m", "celery", "--quiet", "-A", "scheduler_project")


def programs(config: Config) -> list[Program]:
    return [
        Program("web", lambda: _served("scheduler_project.wsgi", config.web_port, threads=16)),
        Program("beat", lambda: (*_CELERY, "beat", "--loglevel", "info")),
        Program("default", lambda: _worker("default", concurrency=4)),
        Program("fast", lambda: _worker("fast", concurrency=2)),
        Program("http", lambda: _worker("http", concurrency=1000)),
        Program("receiver", lambda: _served(_RECEIVER, config.receiver_port, threads=64)),
        Program("flower", lambda: _flower(config.flower_port)),
    ]


def _served(application: str, port: int, *, threads: int) -> Sequence[str]:
    options = (f"--bind={HOST}:{port}", "--workers=1", f"--threads={threads}", *_GUNICORN)
    return (sys.executable, "-m", "gunicorn", application, *options)


def _worker(queue: str, *, concurrency: int) -> Sequence[str]:
    """A worker of one of our queues takes the pool and the prefetch that fit it by itself."""
    # A node name unique to the start: a worker back from the dead must not share one with its ghost.
    node = f"{queue}-{uuid.uuid4().hex[:8]}@%h"
    options = ("--concurrency", str(concurrency), "--without-gossip", "--without-mingle", "--loglevel", "info")
    return (*_CELERY, "worker", "-Q", f"jobs.{queue}", "-n", node, *options)


def _flower(port: int) -> Sequence[str]:
    """Its login comes from FLOWER_BASIC_AUTH: a command line can be read by anyone."""
    return (*_CELERY, "flower", f"--address={HOST}", f"--port={port}")
