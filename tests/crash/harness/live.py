"""A stack on a set of servers that can be broken: which beat leads, which runs a worker holds, ways through proxies."""

from __future__ import annotations

import re
import secrets
import subprocess
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from uuid import UUID

from kombu import Connection, Queue

from jobs.broker import topology
from jobs.domain.messages import RunKey
from tests.crash.harness.servers import Servers
from tests.support.proxy import Proxy
from tests.support.stack import Stack
from tests.support.waiting import wait_until

DEAD = "tests.dead"
_LEADERS = "SELECT holder FROM jobs_leader WHERE renewed_at > clock_timestamp() - interval '3 seconds'"
_ASK = """
    INSERT INTO jobs_jobrun (job_id, scheduled_for, due_at, run_after, queue, priority, max_attempts, trigger)
    SELECT id, instant, instant, instant, coalesce(nullif(queue, ''), 'jobs.default'), priority, max_attempts, 'manual'
    FROM jobs_job CROSS JOIN (SELECT clock_timestamp() AS began) AS now
    CROSS JOIN LATERAL (SELECT began + number * interval '1 microsecond' AS instant
                        FROM generate_series(1, %s::int) AS number) AS made
    WHERE id = %s
    RETURNING job_id, scheduled_for
"""


class Detour(Proxy):
    """A proxy to one server; ``environment`` sends a program through it."""

    def __init__(self, variable: str, url: str) -> None:
        parts = urllib.parse.urlsplit(url)
        super().__init__(parts.hostname or "", parts.port or 0)
        self.environment = {variable: self.url(url)}


class Live(Stack):
    """Beats and workers on a database and a vhost of their own."""

    def __init__(self, folder: Path, servers: Servers, name: str) -> None:
        super().__init__(folder, servers.database.url(name), servers.broker.url(name))
        self.servers = servers
        self.vhost = name
        self.environment |= {**servers.redis.urls(), "BEATKEEPER_SECRET_KEY": "of no worth"}
        self.counted_before: dict[str, int] = {}
        self._detours: list[Detour] = []

    def proxy_to(self, variable: str) -> Detour:
        """A proxy to the server that DATABASE_URL, BROKER_URL or REDIS_URL names."""
        self._detours.append(Detour(variable, self.environment[variable]))
        return self._detours[-1]

    def beats(self, count: int = 2) -> tuple[subprocess.Popen[bytes], list[subprocess.Popen[bytes]]]:
        """Start beats and wait until one leads; the leader and those that stand by."""
        started = [self.beat() for _ in range(count)]
        leader = self.leader()
        return leader, [beat for beat in started if beat is not leader]

    def leader(self) -> subprocess.Popen[bytes]:
        """The beat that leads, as soon as one does."""
        holder = wait_until(lambda: self.sql(_LEADERS), timeout=40, what="a leader")[0][0]
        return wait_until(lambda: self._told(f"holder={holder}"), timeout=10, what=f"the beat of holder {holder}")[0]

    def term(self) -> int:
        """The number of the newest term."""
        return int(self.sql("SELECT max(term) FROM jobs_leader")[0][0])

    def http_worker(self, concurrency: int = 100, **environment: str) -> subprocess.Popen[bytes]:
        """Start a worker of the curl pool and wait until it consumes."""
        environment = {"BEATKEEPER_EGRESS_ALLOW": "127.0.0.1/32"} | environment
        return self.worker("jobs.http", concurrency=concurrency, **environment)

    def worker_id(self, worker: subprocess.Popen[bytes]) -> UUID:
        """By what name a worker holds leases."""
        found = re.search(r"clerk\.started worker=(\S+)", self.log_of(worker).read_text())
        assert found, f"no clerk started, see {self.log_of(worker)}"
        return UUID(found[1])

    def held_by(self, worker: subprocess.Popen[bytes]) -> dict[str, datetime]:
        """The keys of the runs whose leases a worker has, dead or alive, and until when."""
        query = "SELECT job_id, scheduled_for, locked_until FROM jobs_jobrun WHERE locked_by = %s"
        rows = self.sql(query, self.worker_id(worker))
        return {str(RunKey(job_id, slot)): until for job_id, slot, until in rows}

    def ask(self, job: int, count: int = 1) -> list[str]:
        """Queue runs of a job by SQL; their keys. The leader sends them."""
        return [str(RunKey(*row)) for row in self.sql(_ASK, count, job)]

    def until_started(self, count: int, timeout: float = 60) -> None:
        """Wait until so many bodies have started."""
        wait_until(lambda: len(self.lines("started")) >= count, timeout, what=f"{count} bodies to start")

    def now(self) -> datetime:
        """The database's time."""
        found: datetime = self.sql("SELECT clock_timestamp()")[0][0]
        return found

    def declare(self) -> None:
        """Make what publishers and workers would, and a second queue for dead letters: the undertaker empties the
        first."""
        with Connection(self.environment["BROKER_URL"]) as broker:
            topology.declare(broker)
            Queue(DEAD, topology.dead_letter_exchange(), routing_key="").bind(broker.default_channel).declare()
        self.counted_before = self.servers.broker.counted()

    def stop(self) -> None:
        super().stop()
        for detour in self._detours:
            detour.close()

    def _told(self, text: str) -> list[subprocess.Popen[bytes]]:
        return [process for process in self.processes if text in self.log_of(process).read_text()]


@contextmanager
def live_on(servers: Servers, folder: Path) -> Iterator[Live]:
    """An empty stack; the servers are mended afterwards."""
    name = f"crash_{secrets.token_hex(4)}"
    servers.database.make(name)
    servers.broker.make(name)
    live = Live(folder, servers, name)
    try:
        live.declare()
        yield live
    finally:
        live.stop()
        servers.mend()
        servers.broker.drop(name)
        servers.database.drop(name)
