"""Faults of PostgreSQL, RabbitMQ and Redis, of the lines to them, and of those who use the database beside us."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from random import Random

import psycopg

from tests.crash.harness import faults
from tests.crash.soak.fleet import patiently
from tests.crash.soak.ground import Fault, Ground, Kind
from tests.support.waiting import let_pass, wait_until

_NOOP = "SELECT id FROM jobs_job WHERE name LIKE 'every-1-jobs.fast-%%' ORDER BY id"


def _backend_killed(ground: Ground, fault: Fault, choice: Random) -> None:
    with _emission(ground, fault, choice) as backend:
        faults.kill_backend(ground.live, backend)


def _backend_frozen(ground: Ground, fault: Fault, choice: Random) -> None:
    with _emission(ground, fault, choice) as backend:
        os.kill(backend, signal.SIGSTOP)
        let_pass(15)
        os.kill(backend, signal.SIGCONT)


def _database_restarted(ground: Ground, _: Fault, __: Random) -> None:
    ground.live.servers.database.restart()


def _sessions_ended(ground: Ground, _: Fault, __: Random) -> None:
    faults.end_backends(ground.live)


def _database_refuses_briefly(ground: Ground, _: Fault, __: Random) -> None:
    with faults.refused(ground.database):
        let_pass(20)


def _database_refuses_long(ground: Ground, _: Fault, __: Random) -> None:
    """For longer than a lease."""
    with faults.refused(ground.database):
        let_pass(60)


def _long_select(ground: Ground, _: Fault, __: Random) -> None:
    with faults.long_select(ground.live):
        let_pass(60)


def _open_edit(ground: Ground, fault: Fault, choice: Random) -> None:
    """Over some slots. Should its session be ended meanwhile, nothing was edited."""
    job = _some_noop(ground, choice)
    fault.on = f"job {job}"
    with (
        suppress(psycopg.OperationalError),
        faults.open_edit(ground.live, job, "interval_seconds = 3 - interval_seconds"),
    ):
        let_pass(choice.uniform(3, 12))


def _broker_restarted(ground: Ground, _: Fault, __: Random) -> None:
    ground.live.servers.broker.restart()


def _broker_wiped(ground: Ground, _: Fault, __: Random) -> None:
    ground.live.servers.broker.wipe(ground.live.vhost)


def _broker_alarmed(ground: Ground, fault: Fault, _: Random) -> None:
    with ground.live.servers.broker.alarmed():
        fault.at = time.time()
        let_pass(15)


def _confirms_held(ground: Ground, _: Fault, __: Random) -> None:
    with faults.held(ground.beats_broker, only_answers=True):
        let_pass(20)


def _line_lost(ground: Ground, fault: Fault, choice: Random) -> None:
    """To the broker, of the beats or of the workers: cut without a word."""
    fault.on = choice.choice(["beats", "workers"])
    (ground.beats_broker if fault.on == "beats" else ground.workers_broker).lose()


def _queue_deleted(ground: Ground, fault: Fault, choice: Random) -> None:
    fault.on = choice.choice(["jobs.default", "jobs.fast"])
    faults.delete_queue(ground.live, fault.on)


def _redis_gone(ground: Ground, _: Fault, __: Random) -> None:
    with ground.live.servers.redis.gone():
        let_pass(20)


KINDS = (
    Kind("leader's session killed in an emission", _backend_killed),
    Kind("leader's session frozen 15 s in an emission", _backend_frozen),
    Kind("PostgreSQL restarted", _database_restarted),
    Kind("all sessions ended", _sessions_ended),
    Kind("PostgreSQL refuses 20 s", _database_refuses_briefly),
    Kind("PostgreSQL refuses 60 s", _database_refuses_long),
    Kind("a SELECT open 60 s", _long_select, is_mild=True),
    Kind("an edit open over slots", _open_edit, is_mild=True),
    Kind("RabbitMQ restarted", _broker_restarted),
    Kind("RabbitMQ wiped", _broker_wiped),
    Kind("RabbitMQ out of memory 15 s", _broker_alarmed),
    Kind("confirms held 20 s", _confirms_held),
    Kind("line to RabbitMQ lost", _line_lost),
    Kind("a queue deleted", _queue_deleted),
    Kind("Redis gone 20 s", _redis_gone, is_mild=True),
)


@contextmanager
def _emission(ground: Ground, fault: Fault, choice: Random) -> Iterator[int]:
    """The pid of the leader's database session in the middle of an emission."""
    job = _some_noop(ground, choice)
    slot = ground.live.now().replace(microsecond=0) + timedelta(seconds=4)
    with suppress(psycopg.OperationalError), faults.held_emission(ground.live, job, slot) as backend:
        fault.on, fault.at = f"session {backend}", time.time()
        yield backend


def _some_noop(ground: Ground, choice: Random) -> int:
    jobs = wait_until(lambda: patiently(lambda: ground.live.sql(_NOOP)), 120, what="the jobs")
    assert jobs
    return int(choice.choice(jobs)[0])
