"""A real web server for programs: gunicorn on a stack's database, a token, and requests with an own connection each."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Any

from tests.support.stack import Stack
from tests.support.waiting import wait_until

HOST = "127.0.0.1"
# gunicorn's own limit of 4,094 characters would answer a long query in HTML.
_OPTIONS = ("--no-control-socket", "--limit-request-line=8190")


@dataclass(frozen=True)
class Reply:
    """What the server answered: ``document`` is its JSON."""

    status: int
    headers: dict[str, str]
    document: Any


@dataclass
class Web:
    """A server, and how to ask it."""

    stack: Stack
    processes: int
    port: int
    process: subprocess.Popen[bytes] | None = None
    token: str = ""
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    def start(self) -> None:
        """Start the server and wait until it answers."""
        options = (f"--bind={HOST}:{self.port}", f"--workers={self.processes}", "--threads=8", *_OPTIONS)
        self.process = self.stack.start(
            "web", [sys.executable, "-m", "gunicorn", "scheduler_project.wsgi", *options], **self.environment
        )
        wait_until(self._answers, timeout=60, what=f"the web server, see {self.stack.log_of(self.process)}")

    def ask(self, method: str, path: str, body: object = None, *, key: str | None = None) -> Reply:
        """One request below ``/v1`` on a connection of its own; OSError or HTTPException when it breaks off."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        if key is not None:
            headers["Idempotency-Key"] = key
        connection = http.client.HTTPConnection(HOST, self.port, timeout=60)
        with contextlib.closing(connection):
            connection.request(method, f"/v1{path}", None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            text = response.read()
        return Reply(response.status, dict(response.getheaders()), json.loads(text) if text else None)

    def kill_one(self) -> None:
        """Kill one process of the server in the midst of its work; wait until its heir answers."""
        assert self.process is not None
        parent = self.process.pid
        victim = random.choice(_children(parent))
        os.kill(victim, signal.SIGKILL)
        wait_until(lambda: len(set(_children(parent)) - {victim}) == self.processes, timeout=30, what="an heir")
        assert self.ask("GET", "/jobs").status == 200

    def _answers(self) -> bool:
        with contextlib.suppress(OSError, http.client.HTTPException):
            return self.ask("GET", "/openapi.json").status == 200
        return False


def _children(pid: int) -> list[int]:
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(text) for text in file.read().split()]


def web(stack: Stack, *, processes: int, **environment: str) -> Web:
    """A server that answers, with a token for everything."""
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        port = listener.getsockname()[1]
    settings = {"DJANGO_SETTINGS_MODULE": "tests.support.web_settings", **environment}
    made = Web(stack, processes, port, environment=settings)
    made.token = json.loads(stack.manage("jobs", "tokens", "make", "tests", "--scope", "admin", "--json"))["token"]
    made.start()
    return made
