"""The programs that ``make up`` runs."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Sequence

from deploy.local.config import Config
from deploy.local.ports import HOST
from deploy.local.runner import Program

_CELERY = (sys.executable, "-m", "celery", "--quiet", "-A", "scheduler_project")


def programs(config: Config) -> list[Program]:
    return [
        Program("web", lambda: _web(config.web_port)),
        Program("beat", lambda: (*_CELERY, "beat", "--loglevel", "info")),
        Program("default", lambda: _worker("default", "--concurrency", "2", "--prefetch-multiplier", "1")),
        Program("fast", lambda: _worker("fast", "--concurrency", "2", "--prefetch-multiplier", "100")),
        Program("flower", lambda: _flower(config.flower_port)),
    ]


def _web(port: int) -> Sequence[str]:
    options = (f"--bind={HOST}:{port}", "--workers=1", "--threads=4", "--no-control-socket")
    return (sys.executable, "-m", "gunicorn", "scheduler_project.wsgi", *options)


def _worker(queue: str, *options: str) -> Sequence[str]:
    # A node name unique to the start: a worker back from the dead must not share one with its ghost.
    node = f"{queue}-{uuid.uuid4().hex[:8]}@%h"
    quiet = ("--without-gossip", "--without-mingle", "--loglevel", "info")
    return (*_CELERY, "worker", "-Q", f"jobs.{queue}", "-n", node, "--pool", "prefork", *options, *quiet)


def _flower(port: int) -> Sequence[str]:
    """Its login comes from FLOWER_BASIC_AUTH: a command line can be read by anyone."""
    return (*_CELERY, "flower", f"--address={HOST}", f"--port={port}")
