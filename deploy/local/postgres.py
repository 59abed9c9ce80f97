"""A private PostgreSQL on the loopback address, with a password and no Unix socket."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import psycopg

from deploy.local.config import Config
from deploy.local.credentials import write_private
from deploy.local.errors import LocalError
from deploy.local.ports import HOST
from deploy.local.server import Server

DATABASE = USER = "beatkeeper"
_PROGRAMS = Path("/usr/lib/postgresql")  # Debian keeps them off PATH, a folder a version
_OPTIONS = {
    "listen_addresses": HOST,
    "unix_socket_directories": "",
    "max_connections": "200",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] ",
    "password_encryption": "scram-sha-256",
}


class Postgres(Server):
    name = "postgres"
    title = "PostgreSQL"
    port_names: ClassVar = ("PostgreSQL",)
    package = "postgresql"
    stop_signal = signal.SIGINT  # a fast shutdown: sessions are ended, the checkpoint is written

    def __init__(self, config: Config, passwords: Mapping[str, str]) -> None:
        super().__init__(config, passwords)
        self._as_user = _unprivileged()

    @property
    def _data(self) -> Path:
        return self.folder / "data"

    @classmethod
    def program(cls) -> str | None:
        versions = [path for path in _PROGRAMS.glob("*/bin/postgres") if path.parts[-3].isdigit()]
        newest = max(versions, key=lambda path: int(path.parts[-3]), default=None)
        return str(newest) if newest else shutil.which("postgres")

    def prepare(self) -> None:
        super().prepare()
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
            self._check_folder_is_open()
        if not (self._data / "PG_VERSION").exists():
            self._initialise()

    def command(self) -> list[str]:
        options = [f"--{name}={value}" for name, value in _OPTIONS.items()]
        port = f"--port={self.config.port('PostgreSQL')}"
        return [*self._as_user, self._tool("postgres"), "-D", str(self._data), port, *options]

    def answers(self) -> bool:
        try:
            with psycopg.connect(self._url("postgres"), connect_timeout=2, autocommit=True) as connection:
                found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone()
                if not found:
                    connection.execute(f"CREATE DATABASE {DATABASE}")  # a constant of ours
        except psycopg.OperationalError as error:
            if "password authentication failed" in str(error):
                raise LocalError(
                    f"PostgreSQL under {self.folder} does not know the password in secrets.json: "
                    "`make reset` starts afresh."
                ) from None
            return False
        return True

    def urls(self) -> dict[str, str]:
        return {"DATABASE_URL": self._url(DATABASE)}

    def _url(self, database: str) -> str:
        port = self.config.port("PostgreSQL")
        return f"postgresql://{USER}:{self.passwords['postgres']}@{HOST}:{port}/{database}"

    def _tool(self, name: str) -> str:
        """A program of the version that made the data: a newer one would not open it."""
        made_by = self._data / "PG_VERSION"
        version = made_by.read_text().strip() if made_by.exists() else "none"
        same = _PROGRAMS / version / "bin" / name
        return str(same if same.exists() else Path(self.program() or "postgres").with_name(name))

    def _initialise(self) -> None:
        shutil.rmtree(self._data, ignore_errors=True)  # what a broken first start left
        password_file = self.folder / "password"
        write_private(password_file, self.passwords["postgres"])
        if os.geteuid() == 0:
            shutil.chown(password_file, "postgres")
        options = ["-A", "scram-sha-256", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "-U", USER]
        folders = [f"--pwfile={password_file}", "-D", str(self._data)]
        command = [*self._as_user, self._tool("initdb"), *options, *folders]
        result = subprocess.run(command, capture_output=True, text=True, cwd="/")
        password_file.unlink()
        if result.returncode:
            raise LocalError(f"PostgreSQL could not make its data folder {self._data}:\n{result.stderr.strip()}")

    def _check_folder_is_open(self) -> None:
        probe = [*self._as_user, "test", "-x", str(self.folder)]
        if subprocess.run(probe, cwd="/").returncode:
            raise LocalError(
                "PostgreSQL refuses to run as root, so it runs as user postgres, who cannot reach "
                f"{self.folder}.\nOpen the folders above it (chmod o+x), or set BEATKEEPER_LOCAL_DIR to a "
                "folder that is open, such as /var/tmp/beatkeeper."
            )


def _unprivileged() -> list[str]:
    """The prefix that drops root for PostgreSQL, which refuses to run as root."""
    if os.geteuid() != 0:
        return []
    try:
        user = pwd.getpwnam("postgres")
    except KeyError:
        raise LocalError("PostgreSQL refuses to run as root and there is no user postgres to run it as.") from None
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--"]
