"""Faults as verbs. What lasts is a context manager: the fault is there inside it, and mended at its end.

Servers have their own: ``live.servers.database.restart()``, ``.kill()``, ``.frozen()``, ``.gone()``,
``live.servers.broker.wipe(live.vhost)``, ``.alarmed()``. Lines are cut at a proxy: ``live.proxy_to("BROKER_URL")`` with
``hold``, ``hold_answers`` (the broker's confirms too), ``lose``, ``cut``, ``refuse``.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime

import psycopg

from tests.bench.processes import tree
from tests.crash.harness.live import Detour, Live
from tests.support.stack import Line
from tests.support.waiting import wait_until

_BLOCKED = """
    SELECT pid FROM pg_stat_activity
    WHERE %s = ANY(pg_blocking_pids(pid)) AND position('INSERT INTO jobs_jobrun' IN query) > 0
"""
_SLOT_TAKEN = """
    INSERT INTO jobs_jobrun (job_id, scheduled_for, due_at, run_after, queue)
    VALUES (%s, %s, now(), now(), 'jobs.default')
"""


def kill(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL to a beat, or to a worker's parent: its children die with it. Returns when it is gone."""
    process.kill()
    process.wait(timeout=10)


@contextmanager
def frozen(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """A process, its children too, stands still (SIGSTOP), and goes on afterwards (SIGCONT)."""
    members = sorted(tree(process.pid))
    for pid in members:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in members:
            os.kill(pid, signal.SIGCONT)


def kill_child(worker: subprocess.Popen[bytes], line: Line) -> None:
    """SIGKILL to the worker's child that wrote this line."""
    assert line.pid in tree(worker.pid) - {worker.pid}, f"pid {line.pid} is no child of the worker {worker.pid}"
    os.kill(line.pid, signal.SIGKILL)


def end_backends(live: Live) -> None:
    """End all sessions of the stack's database."""
    others = "datname = current_database() AND pid <> pg_backend_pid()"
    live.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}")


def kill_backend(live: Live, pid: int) -> None:
    """SIGKILL to one database session: the server ends all others and recovers. Returns when it answers again."""
    with closing(psycopg.connect(live.database_url, autocommit=True)) as witness:
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: _is_cut_off(witness), timeout=30, what="the server to notice")
    wait_until(live.servers.database.answers, timeout=60, what="PostgreSQL to recover")


@contextmanager
def held_emission(live: Live, job: int, slot: datetime) -> Iterator[int]:
    """Park the emission of a slot in its middle: cursors locked, the slot's row about to be written.

    An uncommitted row of the same slot holds it up. Yields the pid of the leader's database backend; the row is gone
    afterwards.
    """
    with closing(psycopg.connect(live.database_url)) as holder:
        holder.execute(_SLOT_TAKEN, [job, slot])
        me = holder.info.backend_pid
        yield wait_until(lambda: live.sql(_BLOCKED, me), timeout=60, what=f"the emission of {slot}")[0][0]


@contextmanager
def refused(*proxies: Detour) -> Iterator[None]:
    """Connections through these are closed, and new ones refused."""
    for proxy in proxies:
        proxy.refuse()
    try:
        yield
    finally:
        for proxy in proxies:
            proxy.listen()


@contextmanager
def held(proxy: Detour, *, only_answers: bool = False) -> Iterator[None]:
    """Nothing passes; or nothing that the server says, such as a broker's confirms."""
    (proxy.hold_answers if only_answers else proxy.hold)()
    try:
        yield
    finally:
        proxy.release()


@contextmanager
def long_select(live: Live) -> Iterator[None]:
    """A transaction has read the run table and stays open."""
    with closing(psycopg.connect(live.database_url)) as reader:
        reader.execute("SELECT count(*) FROM jobs_jobrun")
        yield


@contextmanager
def open_edit(live: Live, job: int, change: str) -> Iterator[None]:
    """A change of a job's definition in a transaction that stays open, and commits at the end."""
    with psycopg.connect(live.database_url) as editor:
        editor.execute(f"UPDATE jobs_job SET {change} WHERE id = %s", [job])
        yield


def delete_queue(live: Live, name: str) -> None:
    """Delete one queue with all that stands in it."""
    live.servers.broker.delete_queue(live.vhost, name)


def _is_cut_off(connection: psycopg.Connection) -> bool:
    try:
        connection.execute("SELECT 1")
    except psycopg.OperationalError:
        return True
    return False
