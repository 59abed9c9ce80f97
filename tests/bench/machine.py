"""What the figures were measured on: the machine, the versions of everything, and how durable the database is."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

import psycopg

from deploy.local.config import ROOT
from tests.support.management import Management

_SETTINGS = ("server_version", "fsync", "synchronous_commit", "full_page_writes", "shared_buffers")


def facts() -> dict[str, str]:
    """Facts by name, for people and for programs that compare reports."""
    return {
        "commit": _commit(),
        "cores": str(len(os.sched_getaffinity(0))),
        "processor": _field("/proc/cpuinfo", "model name"),
        "memory": f"{int(_field('/proc/meminfo', 'MemTotal').split()[0]) / 1024**2:.0f} GiB",
        "load at the start": f"{os.getloadavg()[0]:.1f}",
        "Python": platform.python_version(),
        **{name: version(name.lower()) for name in ("Django", "Celery", "psycopg")},
        **_postgres(),
        "RabbitMQ": _rabbitmq(),
    }


def _commit() -> str:
    """The commit's id, with a mark when files differ from it."""
    git = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    found = subprocess.run(git, capture_output=True, text=True)
    return found.stdout.strip() or "unknown"


def _field(file: str, name: str) -> str:
    lines = (line.partition(":") for line in Path(file).read_text().splitlines())
    return next((value.strip() for key, _, value in lines if key.strip() == name), "0")


def _postgres() -> dict[str, str]:
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        shown = {name: str(connection.execute(f"SHOW {name}").fetchone()[0]) for name in _SETTINGS}  # type: ignore[index]  # one row
    return {"PostgreSQL": shown.pop("server_version"), **shown}


def _rabbitmq() -> str:
    overview = Management(os.environ["BEATKEEPER_RABBITMQ_MANAGEMENT_URL"]).call("GET", "/api/overview")
    return str(overview["rabbitmq_version"])
