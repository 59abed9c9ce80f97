"""A worker under test: jobs and runs by SQL, messages by the wire contract, no beat."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable
from datetime import UTC
from typing import Any, NamedTuple

import psycopg
from kombu import Connection, Producer, Queue
from psycopg.rows import namedtuple_row

from jobs.broker import topology
from jobs.domain.messages import HTTP_TASK, RUN_HEADER, RunKey, task_id
from tests.support import celery_app
from tests.support.stack import Stack
from tests.support.waiting import wait_until

PREFIX = "tests.support.celery_app."
DEAD = "tests.dead"


class Effect(NamedTuple):
    """One line that a body wrote."""

    word: str
    key: str
    attempt: int
    pid: int


class WorkerStack:
    """Drives workers on a stack's database and vhost."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.effects_file = stack.folder / "effects"
        self.effects_file.touch()
        self.broker = Connection(stack.environment["BROKER_URL"])
        topology.declare(self.broker)
        self.producer = Producer(self.broker)
        self.declare_dead()
        self.database = psycopg.connect(stack.database_url, autocommit=True, row_factory=namedtuple_row)

    def declare_dead(self) -> None:
        """A second queue on the dead letter exchange: the undertaker empties the first."""
        Queue(DEAD, topology.dead_letter_exchange(), routing_key="").bind(self.broker.default_channel).declare()

    def close(self) -> None:
        self.broker.release()
        self.database.close()

    def worker(
        self,
        *options: str,
        queue: str = "jobs.default",
        concurrency: int = 2,
        is_ready: bool = True,
        **environment: str,
    ) -> subprocess.Popen[bytes]:
        """Start a worker and wait until it consumes."""
        program = [sys.executable, "-m", "celery", "-A", "tests.support.celery_app", "worker", "-l", "INFO"]
        place = ["-Q", queue, "-c", str(concurrency), "--without-gossip", "--without-mingle"]
        environment[celery_app.EFFECTS] = str(self.effects_file)
        environment.setdefault("DJANGO_SETTINGS_MODULE", "tests.support.quick_lease_settings")
        process = self.stack.start(f"worker-{uuid.uuid4().hex[:6]}", [*program, *place, *options], **environment)
        if is_ready:
            log = self.stack.log_of(process)
            wait_until(lambda: b"ready." in log.read_bytes(), timeout=30, what=f"the worker to be ready, see {log}")
        return process

    def add_run(self, task: str, *args: Any, job: dict[str, Any] | None = None, **run: Any) -> RunKey:
        """A job and one queued run of it, due now, not published."""
        job_id = self.stack.save_job(
            f"{task.replace('_', '-')}-{uuid.uuid4().hex[:8]}", task=PREFIX + task, args=list(args), **(job or {})
        )
        return self.add_run_of(job_id, **run)

    def add_run_of(self, job_id: int, **run: Any) -> RunKey:
        job = self.database.execute("SELECT * FROM jobs_job WHERE id = %s", [job_id]).fetchone()
        defaults = {"max_attempts": job.max_attempts, "exclusive": job.concurrency_policy != "allow"}
        columns = {"job_id": job_id, "queue": "jobs.default", **defaults, **run}
        names = ", ".join(columns)
        marks = ", ".join(["%s"] * len(columns))
        row = self.database.execute(
            f"INSERT INTO jobs_jobrun (scheduled_for, due_at, run_after, {names})"
            f" VALUES (clock_timestamp(), clock_timestamp(), clock_timestamp(), {marks}) RETURNING *",
            list(columns.values()),
        ).fetchone()
        return RunKey(row.job_id, row.scheduled_for.astimezone(UTC))

    def row(self, key: RunKey) -> Any:
        """The run as it stands."""
        return self.database.execute(
            "SELECT run.*, job.name, job.task, job.args, job.timeout_seconds"
            " FROM jobs_jobrun run JOIN jobs_job job ON job.id = job_id WHERE job_id = %s AND scheduled_for = %s",
            [key.job_id, key.scheduled_for],
        ).fetchone()

    def update(self, key: RunKey, change: str, *values: Any) -> None:
        self.database.execute(
            f"UPDATE jobs_jobrun SET {change} WHERE job_id = %s AND scheduled_for = %s",
            [*values, key.job_id, key.scheduled_for],
        )

    def publish(self, key: RunKey, *, kwargs: object = None, **headers: Any) -> str:
        """Send the run's message as the dispatcher would, and mark it; the task id."""
        row = self.row(key)
        attempt = task_id(key, row.token)
        message = {
            "lang": "py",
            "task": row.task or HTTP_TASK,
            "id": attempt,
            "root_id": attempt,
            "retries": 0,
            "timelimit": [row.timeout_seconds, None],
            "ignore_result": True,
            "shadow": row.name,
            "argsrepr": "…",
            "kwargsrepr": "…",
            "origin": "tests",
            RUN_HEADER: {"key": str(key), "token": row.token},
            **headers,
        }
        embed = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}
        self.send(json.dumps([row.args, kwargs or {}, embed]), row.queue, headers=message, correlation_id=attempt)
        self.update(key, "dispatched_at = clock_timestamp()")
        return attempt

    def send(self, body: str | bytes, queue: str, **properties: Any) -> None:
        """Publish any message through our exchange."""
        properties = {"content_type": "application/json", "content_encoding": "utf-8", **properties}
        self.producer.publish(body, exchange="jobs", routing_key=queue, delivery_mode=2, **properties)

    def start(self, task: str, *args: Any, job: dict[str, Any] | None = None, **run: Any) -> RunKey:
        """A run, sent to the workers."""
        key = self.add_run(task, *args, job=job, **run)
        self.publish(key)
        return key

    def until(self, key: RunKey, *statuses: str, timeout: float = 15) -> Any:
        """The run's row as soon as it is in one of these statuses; by default: at an end."""

        return self.until_row(key, lambda row: row.status in statuses if statuses else row.finished_at, timeout)

    def until_tried(self, key: RunKey, attempts: int = 1, timeout: float = 15) -> Any:
        """The run's row when it is queued again after so many attempts."""

        return self.until_row(key, lambda row: row.attempts == attempts and row.status != "running", timeout)

    def until_row(self, key: RunKey, holds: Callable[[Any], Any], timeout: float = 15) -> Any:
        """The run's row as soon as something holds of it."""
        try:
            wait_until(lambda: holds(self.row(key)), timeout)
        except AssertionError:
            raise AssertionError(f"{timeout} s passed, and the run is {self.row(key)}") from None
        return self.row(key)

    def again(self, key: RunKey) -> None:
        """Send a waiting run at once."""
        self.update(key, "run_after = clock_timestamp()")
        self.publish(key)

    def effects(self, key: RunKey | None = None, word: str = "") -> list[Effect]:
        """What bodies told."""
        lines = [Effect(*_typed(line.split())) for line in self.effects_file.read_text().splitlines()]
        return [line for line in lines if (key is None or line.key == str(key)) and word in ("", line.word)]

    def until_effect(self, word: str, key: RunKey | None = None, timeout: float = 15) -> Effect:
        return wait_until(lambda: self.effects(key, word), timeout, f"{word} of {key}")[0]

    def messages_left(self, queue: str) -> int:
        """Ready messages in a queue."""
        with self.broker.channel() as channel:
            return int(channel.queue_declare(queue, passive=True).message_count)

    def dead_letters(self) -> int:
        """How many messages were dead-lettered so far."""
        return self.messages_left(DEAD)

    def close_connections(self) -> None:
        """Have the broker close every connection of the vhost, the test's own included."""
        vhost = self.broker.virtual_host
        names = wait_until(
            lambda: [each["name"] for each in call_management("GET", f"/api/vhosts/{vhost}/connections")]
        )
        for name in names:
            with contextlib.suppress(urllib.error.HTTPError):  # who lost one connection left the other too
                call_management("DELETE", f"/api/connections/{urllib.parse.quote(name)}")
        self.broker.collect()
        self.broker = Connection(self.stack.environment["BROKER_URL"])
        self.producer = Producer(self.broker)

    def stop_worker(self, process: subprocess.Popen[bytes], timeout: float = 30) -> int:
        """SIGTERM; the exit code."""
        process.send_signal(signal.SIGTERM)
        return process.wait(timeout)


def call_management(method: str, path: str) -> Any:
    """Call RabbitMQ's management API; its JSON answer."""
    address = urllib.parse.urlsplit(os.environ["BEATKEEPER_RABBITMQ_MANAGEMENT_URL"])
    credentials = base64.b64encode(f"{address.username}:{urllib.parse.unquote(address.password or '')}".encode())
    request = urllib.request.Request(f"http://{address.hostname}:{address.port}{path}", method=method)
    request.add_header("Authorization", f"Basic {credentials.decode()}")
    with urllib.request.urlopen(request, timeout=10) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def _typed(parts: list[str]) -> tuple[str, str, int, int]:
    word, key, attempt, pid = parts
    return word, key, int(attempt), int(pid)
