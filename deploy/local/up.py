"""From nothing to everything running: servers, tables, demo, programs; until Ctrl-C or ``make down``."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from deploy.local import envfile, servers
from deploy.local.config import ROOT, Config
from deploy.local.errors import LocalError
from deploy.local.ports import HOST, is_open
from deploy.local.process import read_pid_file, wait_until, write_pid_file
from deploy.local.programs import programs
from deploy.local.runner import DRAIN_SECONDS, Runner, write


def up(config: Config) -> int:
    """Run everything in the foreground; returns the exit code."""
    began = time.monotonic()
    servers.lay_out(config)
    with _only_one(config), servers.in_use(config, extra_ports=config.public_ports()) as values:
        environment = {**os.environ, **values, **_settings(values), **_addresses(config)}
        _manage("Migrating the database", environment, "migrate", "--noinput")
        _manage("Collecting static files", environment, "collectstatic", "--noinput")
        _manage("Laying out the demo", environment, "beatkeeper_demo")
        runner = Runner(programs(config), environment=environment, directory=ROOT)
        code = runner.run(
            is_ready=lambda: _all_answer(config),
            on_ready=lambda: _welcome(config, environment, time.monotonic() - began),
        )
        write("Stopping the servers …" if not servers.stay(config) else "The servers stay until `make down`.")
    write("Stopped.")
    return code


def is_running(config: Config) -> bool:
    """Whether a ``make up`` runs here."""
    return read_pid_file(_pid_file(config)) is not None


def stop(config: Config) -> None:
    """End a ``make up`` that runs elsewhere and wait until it has let go of everything."""
    runner = read_pid_file(_pid_file(config))
    if runner is None:
        return
    runner.send(signal.SIGTERM)
    if not wait_until(lambda: not runner.is_alive(), DRAIN_SECONDS + 90):
        raise LocalError(f"`make up` (pid {runner.pid}) does not stop; its terminal may tell why.")


@contextmanager
def _only_one(config: Config) -> Iterator[None]:
    path = _pid_file(config)
    with (config.run / "up.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            runner = read_pid_file(path)
            who = f" (pid {runner.pid})" if runner else ""
            raise LocalError(f"`make up` already runs here{who}: `make down` stops it.") from None
        write_pid_file(path, os.getpid())
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
            config.addresses_file.unlink(missing_ok=True)


def _pid_file(config: Config) -> Path:
    return config.run / "up.pid"


def _manage(what: str, environment: Mapping[str, str], *arguments: str) -> None:
    """Run a management command; its output is shown when it fails."""
    write(f"{what} …")
    command = [sys.executable, "manage.py", *arguments]
    result = subprocess.run(
        command, cwd=ROOT, env=dict(environment), stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if result.returncode:
        output = (result.stdout + result.stderr).strip()
        raise LocalError(f"{output}\n`manage.py {' '.join(arguments)}` failed with code {result.returncode}.")


def _settings(values: Mapping[str, str]) -> dict[str, str]:
    """Flower's view of the broker, and no lecture on superusers: this is not production."""
    settings = {"PYTHONWARNINGS": "ignore:You're running the worker with superuser privileges"}
    management = values.get("BEATKEEPER_RABBITMQ_MANAGEMENT_URL")
    return settings | ({"FLOWER_BROKER_API": f"{management}/api/"} if management else {})


def _addresses(config: Config) -> dict[str, str]:
    """Where the programs answer, for the demo's definitions and its tour."""
    return {
        "BEATKEEPER_WEB_URL": f"http://{HOST}:{config.web_port}",
        "BEATKEEPER_RECEIVER_URL": f"http://{HOST}:{config.receiver_port}",
    }


def _all_answer(config: Config) -> bool:
    return is_open(config.flower_port) and is_open(config.receiver_port) and _web_answers(config)


def _web_answers(config: Config) -> bool:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        direct.open(f"http://{HOST}:{config.web_port}/", timeout=5).close()
    except urllib.error.HTTPError as error:
        return error.code < 500
    except OSError:
        return False
    return True


def _welcome(config: Config, environment: Mapping[str, str], seconds: float) -> None:
    """Say where everything answers, and note it for ``make demo-tour``."""
    config.addresses_file.write_text(envfile.dump(_addresses(config)))
    write(_welcome_text(config, environment, seconds))


def _welcome_text(config: Config, environment: Mapping[str, str], seconds: float) -> str:
    unless = ", unless the user was there before" if "DATABASE_URL" in config.given else ""
    user, _, password = environment["FLOWER_BASIC_AUTH"].partition(":")
    return f"""
  Beatkeeper is running ({seconds:.0f} s).

  Admin     http://{HOST}:{config.web_port}/admin/
            user admin, password {environment["BEATKEEPER_ADMIN_PASSWORD"]}{unless}
  Flower    http://{HOST}:{config.flower_port}/
            user {user}, password {password}
  Receiver  http://{HOST}:{config.receiver_port}/
            gets the calls of the demo's HTTP jobs and checks their signatures

  In three minutes, in another terminal: `make demo-tour` says what there is to see.
  Ctrl-C stops everything.
"""
