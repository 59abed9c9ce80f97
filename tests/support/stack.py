"""A real stack of one test's own: database, vhost, beats and workers as processes, killed by pid at the end."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from deploy.local.process import ends_with_us
from tests.support import bodies
from tests.support.management import Management
from tests.support.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]


class Line(NamedTuple):
    """One line that a body wrote."""

    word: str
    key: str
    attempt: int
    pid: int
    at: float


class Stack:
    """Processes on a database and a vhost that only they use."""

    def __init__(self, folder: Path, database_url: str, broker_url: str) -> None:
        self.folder = folder
        self.database_url = database_url
        self.lines_file = folder / "lines"
        self.processes: list[subprocess.Popen[bytes]] = []
        self.environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.support.stack_settings",
            "DATABASE_URL": database_url,
            "BROKER_URL": broker_url,
            bodies.LINES: str(self.lines_file),
            bodies.BOOT: str(time.time() - time.monotonic()),
        }

    def manage(self, *arguments: str) -> str:
        """Run a management command to its end; its output."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            check=True,
            capture_output=True,
            text=True,
            timeout=120,
        ).stdout

    def beat(self, **environment: str) -> subprocess.Popen[bytes]:
        """Start a beat."""
        return self.celery("beat", "beat", **environment)

    def worker(
        self, queue: str = "jobs.default", *, concurrency: int = 2, pool: str = "prefork", **environment: str
    ) -> subprocess.Popen[bytes]:
        """Start a worker on one queue and wait until it consumes."""
        name = f"w{len(self.processes)}-{secrets.token_hex(3)}@localhost"
        options = ["-Q", queue, "-P", pool, "-c", str(concurrency), "-n", name, "--without-gossip", "--without-mingle"]
        process = self.celery(name.partition("@")[0], "worker", *options, **environment)
        log = self.log_of(process)
        wait_until(lambda: b"ready." in log.read_bytes(), timeout=60, what=f"the worker to be ready, see {log}")
        return process

    def celery(self, name: str, *arguments: str, level: str = "INFO", **environment: str) -> subprocess.Popen[bytes]:
        """Start a Celery program on the tests' app."""
        command = [sys.executable, "-m", "celery", "-A", "tests.support.stack_app", *arguments, "-l", level]
        return self.start(name, command, **environment)

    def start(self, name: str, command: Sequence[str], **environment: str) -> subprocess.Popen[bytes]:
        """Start any program in a session of its own; its output goes to :meth:`log_of`."""
        log = self.folder / f"{len(self.processes)}-{name}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [*ends_with_us("KILL"), *command],
                cwd=ROOT,
                env={**self.environment, **environment},
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def log_of(self, process: subprocess.Popen[bytes]) -> Path:
        """Where a process logs."""
        return next(self.folder.glob(f"{self.processes.index(process)}-*.log"))

    def sql(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Run one statement on a connection of its own, around any proxy."""
        with psycopg.connect(self.database_url, autocommit=True) as connection:
            cursor = connection.execute(query, parameters)
            return cursor.fetchall() if cursor.description else []

    def save_job(self, name: str, **fields: Any) -> int:
        """Write a job by SQL, as any program could; its id."""
        fields = {"kind": "manual", "task": "tests.support.bodies.body", **fields, "name": name}
        columns = ", ".join(fields)
        marks = ", ".join(["%s"] * len(fields))
        values = [json.dumps(value) if isinstance(value, (dict, list)) else value for value in fields.values()]
        return int(self.sql(f"INSERT INTO jobs_job ({columns}) VALUES ({marks}) RETURNING id", *values)[0][0])

    def lines(self, word: str = "", *, last_bytes: int | None = None) -> list[Line]:
        """What the bodies told so far, oldest first; only one word's lines, or those at the file's end, if asked."""
        if not self.lines_file.exists():
            return []
        found = []
        for text in _end_of(self.lines_file, last_bytes).splitlines():
            kind, key, attempt, pid, at = text.split()
            if word in {"", kind}:
                found.append(Line(kind, key, int(attempt), int(pid), float(at)))
        return found

    def end(self, process: subprocess.Popen[bytes]) -> int:
        """Ask a program to end, as a supervisor does, and wait; its exit code."""
        process.send_signal(signal.SIGTERM)
        return process.wait(timeout=60)

    def stop(self) -> None:
        """End every process group that was started, and wait for it."""
        for process in self.processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGCONT)
                os.killpg(process.pid, signal.SIGKILL)
        for process in self.processes:
            process.wait(timeout=10)


def _end_of(file: Path, last_bytes: int | None) -> str:
    """The last whole lines of a file, or all of it."""
    with file.open("rb") as content:
        size = content.seek(0, os.SEEK_END)
        content.seek(max(0, size - (size if last_bytes is None else last_bytes)))
        if content.tell():
            content.readline()
        whole, _, _ = content.read().rpartition(b"\n")  # a line may be on its way just now
        return whole.decode()


@contextmanager
def stack(folder: Path) -> Iterator[Stack]:
    """A stack with an empty, migrated database and an empty vhost; both are gone afterwards."""
    name = f"stack_{secrets.token_hex(4)}"
    server, _, _ = os.environ["DATABASE_URL"].rpartition("/")
    broker, _, _ = os.environ["BROKER_URL"].rpartition("/")
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
    management = Management(os.environ["BEATKEEPER_RABBITMQ_MANAGEMENT_URL"])
    management.call("PUT", f"/api/vhosts/{name}")
    made = Stack(folder, f"{server}/{name}", f"{broker}/{name}")
    try:
        made.manage("migrate", "-v", "0")
        yield made
    finally:
        made.stop()
        management.drop_vhost(name)
        with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
