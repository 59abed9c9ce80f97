"""Programs of the peers' own Python environment, on the servers of a bench's stack."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from deploy.local import bench, config
from deploy.local.config import ROOT
from tests.support.stack import Stack


@dataclass(slots=True)
class Peers:
    """Starts the peers' programs. ``variables`` are given to all of them, as are the addresses of the servers."""

    live: Stack
    python: Path
    database_url: str
    variables: dict[str, str] = field(default_factory=dict)

    def start(self, name: str, *arguments: str, **variables: str) -> subprocess.Popen[bytes]:
        """Start ``python -m ARGUMENTS``; it is stopped with the stack."""
        return self.live.start(name, [str(self.python), "-m", *arguments], **self._environment(variables))

    def run(self, *arguments: str, **variables: str) -> str:
        """Run ``python -m ARGUMENTS`` to its end; what it printed."""
        environment = {**self.live.environment, **self._environment(variables)}
        command = [str(self.python), "-m", *arguments]
        return subprocess.run(
            command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True, timeout=300
        ).stdout

    def sql(self, query: str) -> list[tuple[object, ...]]:
        """Run one statement in the peers' database."""
        with psycopg.connect(self.database_url, autocommit=True) as connection:
            cursor = connection.execute(query)
            return cursor.fetchall() if cursor.description else []

    def _environment(self, variables: dict[str, str]) -> dict[str, str]:
        # Without a settings module Celery keeps away from Django.
        return {"DJANGO_SETTINGS_MODULE": "", "PEER_DATABASE_URL": self.database_url, **self.variables, **variables}


@contextmanager
def peers(live: Stack) -> Iterator[Peers]:
    """The peers, with an empty database beside the stack's; it is gone afterwards."""
    python = bench.peers_python(config.load())
    url = f"{live.database_url}_peers"
    server, _, name = url.rpartition("/")
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
        try:
            yield Peers(live, python, url, {"REDIS_URL": os.environ["REDIS_URL"]})
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
