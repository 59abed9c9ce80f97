"""The servers as one thing: use what the environment names, start the rest under ``.local/``.

Who uses the private servers holds a shared lock on ``.local/run/users`` for as long; the last to let go stops them,
unless they were started to stay. Starting and stopping is done under an exclusive lock, one at a time. Both locks are
the kernel's, so a killed user leaves neither behind.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from deploy.local import apt, credentials, envfile, given, ports
from deploy.local.config import DEFAULT_LOCAL, EGRESS_VARIABLE, SERVER_VARIABLES, Config
from deploy.local.credentials import write_private
from deploy.local.errors import LocalError
from deploy.local.ports import HOST, Port
from deploy.local.postgres import Postgres
from deploy.local.rabbitmq import Epmd, RabbitMQ
from deploy.local.redis import Redis
from deploy.local.server import Server

MARK = ".made-by-beatkeeper"

# In the order of their start; they are stopped the other way round.
_SERVERS: dict[type[Server], str] = {
    Postgres: "DATABASE_URL",
    Epmd: "BROKER_URL",
    RabbitMQ: "BROKER_URL",
    Redis: "REDIS_URL",
}

_OTHERWISE = (
    f"Or set {', '.join(SERVER_VARIABLES)} to servers that run elsewhere.\n"
    "Or run everything in containers: deploy/docker/env && docker compose up --build --wait"
)


@contextmanager
def in_use(config: Config, *, extra_ports: list[Port] | None = None) -> Iterator[dict[str, str]]:
    """Have servers while inside; yields the environment that names them and the secrets."""
    lay_out(config)
    with (config.run / "users").open("w") as users:
        with _one_at_a_time(config):
            fcntl.flock(users, fcntl.LOCK_SH)
            values = _ensure(config, extra_ports or [])
        try:
            yield values
        finally:
            with _one_at_a_time(config):
                if _is_last(users) and not stay(config):
                    _stop_all(config)


def start_to_stay(config: Config) -> None:
    """Have servers until ``make down``."""
    lay_out(config)
    with _one_at_a_time(config):
        _ensure(config, [])
        _keep_file(config).touch()


def stay(config: Config) -> bool:
    """Whether the servers were started to outlive their users."""
    return _keep_file(config).exists()


def stop(config: Config) -> None:
    """Stop the private servers, whoever started or uses them."""
    if config.run.exists():
        with _one_at_a_time(config):
            _stop_all(config)


def environment(config: Config) -> dict[str, str]:
    """What names the running private servers."""
    if not any((config.run / f"{kind.name}.pid").exists() for kind in _SERVERS):
        raise LocalError("No private servers run here: `make servers` or `make up` starts them.")
    return envfile.parse(config.env_file.read_text())


def _ensure(config: Config, extra_ports: list[Port]) -> dict[str, str]:
    given.check(config.given)
    kinds = [kind for kind, variable in _SERVERS.items() if variable not in config.given]
    missing = sorted({kind.package for kind in kinds if kind.package and kind.program() is None})
    if missing:
        apt.install(missing, note="other ports and folders than the system's are used", otherwise=_OTHERWISE)
    passwords = credentials.load(config.local)
    servers = [kind(config, passwords) for kind in kinds]
    running = [server for server in servers if server.running()]
    _check_same_base(config, running)
    if differing := "\n".join(filter(None, (server.mismatch() for server in running))):
        raise LocalError(differing)
    stopped = [server for server in servers if server not in running]
    ports.check_free([*extra_ports, *(port for server in stopped for port in server.ports())])
    _start(stopped)
    _note_base(config, servers)
    values = _values(servers, passwords)
    write_private(config.env_file, envfile.dump(values))
    return {**values, **config.given}


def _start(servers: list[Server]) -> None:
    """Start all at once, then wait for each; a failure stops those that were started here."""
    if servers:
        print(f"Starting {', '.join(server.title for server in servers)} …", flush=True)
    try:
        for server in servers:
            server.start()
        for server in servers:
            server.wait()
    except BaseException:
        for server in reversed(servers):
            server.stop()
        raise


def _stop_all(config: Config) -> None:
    passwords = credentials.load(config.local)
    for kind in reversed(_SERVERS):
        if (config.run / f"{kind.name}.pid").exists():
            kind(config, passwords).stop()
    _keep_file(config).unlink(missing_ok=True)
    (config.run / "port_base").unlink(missing_ok=True)


def _values(servers: list[Server], passwords: Mapping[str, str]) -> dict[str, str]:
    values = {name: url for server in servers for name, url in server.urls().items()}
    return values | {
        "BEATKEEPER_SECRET_KEY": passwords["django"],
        "BEATKEEPER_ADMIN_PASSWORD": passwords["admin"],
        "FLOWER_BASIC_AUTH": f"admin:{passwords['flower']}",
        "BEATKEEPER_DEMO_SECRET": passwords["receiver"],
        EGRESS_VARIABLE: f"{HOST}/32",  # the demo's receiver is here
    }


def _check_same_base(config: Config, running: list[Server]) -> None:
    recorded = config.run / "port_base"
    if recorded.exists() and running:
        base = recorded.read_text().strip()
        if base != str(config.port_base):
            raise LocalError(
                f"Servers run under {config.local} with BEATKEEPER_PORT_BASE={base}, "
                f"not {config.port_base}: `make down` stops them."
            )


def _note_base(config: Config, servers: list[Server]) -> None:
    if servers:
        (config.run / "port_base").write_text(f"{config.port_base}\n")


def lay_out(config: Config) -> None:
    """Make the folders. Root leaves them passable, for the user that PostgreSQL runs as."""
    mark = config.local / MARK
    if not mark.exists() and config.local != DEFAULT_LOCAL and _has_content(config.local):
        raise LocalError(f"BEATKEEPER_LOCAL_DIR={config.local} is in use for something else: name an empty folder.")
    mode = 0o711 if os.geteuid() == 0 else 0o700
    for folder in (config.local, config.run, config.log):
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(mode)
    mark.touch()


def _has_content(folder: Path) -> bool:
    return folder.exists() and any(folder.iterdir())


@contextmanager
def _one_at_a_time(config: Config) -> Iterator[None]:
    with (config.run / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Waiting for another command that starts or stops the servers …", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _is_last(users: IO[str]) -> bool:
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _keep_file(config: Config) -> Path:
    return config.run / "keep"
