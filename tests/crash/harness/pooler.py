"""PgBouncer in transaction mode before a server: a backend is a client's for one transaction at a time."""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.local import apt
from deploy.local.ports import HOST
from deploy.local.process import ends_with_us
from deploy.local.server import find_program
from tests.crash.harness.database import Database
from tests.support.waiting import wait_until

_SETTINGS = """\
[databases]
* = host={host} port={server_port}
[pgbouncer]
listen_addr = {host}
listen_port = {port}
unix_socket_dir =
pool_mode = transaction
auth_type = trust
auth_file = {users}
ignore_startup_parameters = options,extra_float_digits
max_client_conn = 200
default_pool_size = 5
"""


@contextmanager
def pooled(database: Database) -> Iterator[str]:
    """The server's address through a pooler, ``HOST:PORT``."""
    port = _free_port()
    folder = database.config.local / "pooler"
    folder.mkdir(mode=0o755)
    try:
        _write(folder, database, port)
        command = [*database.unprivileged, *ends_with_us("TERM"), _program(), str(folder / "settings.ini")]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/")
        try:
            wait_until(lambda: _answers(port), timeout=10, what=f"PgBouncer, see {folder / 'log'}")
            yield f"{HOST}:{port}"
        finally:
            process.terminate()
            process.wait(timeout=10)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write(folder: Path, database: Database, port: int) -> None:
    users = folder / "users"
    users.write_text(f'"beatkeeper" "{database.passwords["postgres"]}"\n')
    settings = _SETTINGS.format(host=HOST, port=port, server_port=database.config.port("PostgreSQL"), users=users)
    (folder / "settings.ini").write_text(settings)


def _program() -> str:
    for _ in range(2):
        if found := find_program("pgbouncer"):
            return found
        apt.install(["pgbouncer"])
    raise RuntimeError("There is no pgbouncer on PATH: install the package pgbouncer.")


def _free_port() -> int:
    with socket.create_server((HOST, 0)) as listener:
        return int(listener.getsockname()[1])


def _answers(port: int) -> bool:
    try:
        socket.create_connection((HOST, port), timeout=1).close()
    except OSError:
        return False
    return True
