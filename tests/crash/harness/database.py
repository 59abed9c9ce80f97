"""PostgreSQL that tests may break, its standby, and databases made from a migrated template."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from deploy.local.config import ROOT
from deploy.local.postgres import Postgres
from tests.crash.harness.breakable import Breakable
from tests.crash.harness.ground import STANDBY_OFFSET, config_at

TEMPLATE = "migrated"
# What a leader's first tick would make, so that each test begins as on the second day.
_DAYS = (
    "SELECT jobs_ensure_partitions(day - 30, day + 15) FROM (SELECT (now() AT TIME ZONE 'UTC')::date) AS today (day)"
)


class Database(Breakable, Postgres):
    """One server. ``clock`` is the environment of a wrong clock, from its next start on."""

    last_signal = "QUIT"  # an immediate shutdown: it frees its shared memory
    clock: Mapping[str, str] = {}

    def command(self) -> list[str]:
        """The clock comes last: what runs before as another user would leave locks that this one cannot open."""
        command = super().command()
        at = command.index(self._tool("postgres"))
        clock = [f"{name}={value}" for name, value in self.clock.items()]
        return [*command[:at], "env", *clock, *command[at:]]

    @property
    def unprivileged(self) -> list[str]:
        """What runs a command as the user that the server runs as."""
        return self._as_user

    def url(self, name: str) -> str:
        """Where a database of it is."""
        return self._url(name)

    def sql(self, query: str, *parameters: Any, name: str = "postgres") -> list[tuple[Any, ...]]:
        """Run one statement as the superuser."""
        with psycopg.connect(self.url(name), autocommit=True, connect_timeout=5) as connection:
            cursor = connection.execute(query, parameters)
            return cursor.fetchall() if cursor.description else []

    def make(self, name: str) -> None:
        """A migrated database."""
        if not self.sql("SELECT 1 FROM pg_database WHERE datname = %s", TEMPLATE):
            self._migrate(f"{TEMPLATE}_draft")
            self.sql(f"ALTER DATABASE {TEMPLATE}_draft RENAME TO {TEMPLATE}")
        self.sql(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}")

    def drop(self, name: str) -> None:
        """Drop a database, whoever is connected."""
        self.sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def _migrate(self, name: str) -> None:
        self.drop(name)
        self.sql(f"CREATE DATABASE {name}")
        environment = {"DJANGO_SETTINGS_MODULE": "tests.support.stack_settings", "DATABASE_URL": self.url(name)}
        command = [sys.executable, "manage.py", "migrate", "-v", "0"]
        subprocess.run(command, cwd=ROOT, env=super().environment() | environment, check=True, timeout=120)
        self.sql(_DAYS, name=name)


class Standby(Database):
    """A streaming standby of another server, asynchronous. What it has is what it was sent."""

    name = "standby"
    title = "PostgreSQL standby"

    def __init__(self, primary: Database, *, source_url: str) -> None:
        super().__init__(config_at(primary.config.port_base + STANDBY_OFFSET), primary.passwords)
        self._source_url = source_url

    def promote(self) -> None:
        """Make it take writes, as ``pg_ctl promote`` does."""
        self._run("pg_ctl", "promote", "-w", "-D", str(self._data))

    def has_replayed(self, position: str) -> bool:
        """Whether it has got as far as this write-ahead log position."""
        return bool(self.sql("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", position)[0][0])

    def discard(self) -> None:
        """End it and remove its data."""
        self.kill_if_running()
        shutil.rmtree(self.config.local, ignore_errors=True)

    def _initialise(self) -> None:
        self._run("pg_basebackup", "-R", "-X", "stream", "-c", "fast", "-D", str(self._data), "-d", self._source_url)

    def _run(self, program: str, *arguments: str) -> None:
        tool = Path(self.program() or "postgres").with_name(program)
        subprocess.run([*self._as_user, str(tool), *arguments], cwd="/", check=True, capture_output=True, timeout=60)


@contextmanager
def standby_of(primary: Database, *, source_url: str = "") -> Iterator[Standby]:
    """A standby that streams; by way of a proxy, if ``source_url`` names one, so that it can be made to lag."""
    made = Standby(primary, source_url=source_url or primary.url("postgres"))
    try:
        made.begin()
        yield made
    finally:
        made.discard()
