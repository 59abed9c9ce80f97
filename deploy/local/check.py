"""What CI runs: everything that can be said without running the code, then the tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from deploy.local import servers
from deploy.local.config import EGRESS_VARIABLE, ROOT, Config
from deploy.local.rabbitmq import TEST_VHOST

_BIN = Path(sys.executable).parent
_MANAGE = (sys.executable, "manage.py")
_CHECKS: Mapping[str, Sequence[str]] = {
    "format": (str(_BIN / "ruff"), "format", "--check", "."),
    "lint": (str(_BIN / "ruff"), "check", "."),
    "types": (str(_BIN / "mypy"),),
    "floors": (str(_BIN / "lint-imports"), "--no-logo"),
    "migrations": (*_MANAGE, "makemigrations", "--check", "--dry-run"),
    "django": (*_MANAGE, "check"),
    "docs": (sys.executable, "-m", "deploy.local.docs"),
}


def check(config: Config) -> int:
    """Run all checks, then the tests unless one has failed; returns the exit code."""
    with servers.in_use(config) as values:
        environment = {**os.environ, **for_tests(values)}
        failed = [name for name, command in _CHECKS.items() if not _passes(name, command, environment)]
        if failed:
            print(f"Failed: {', '.join(failed)}. The tests were not run.", flush=True)
            return 1
        return _run([sys.executable, "-m", "pytest"], environment)


def python(config: Config, *arguments: str) -> int:
    """Run tests or benches on real servers; returns their exit code."""
    with servers.in_use(config) as values:
        return _run([sys.executable, *arguments], {**os.environ, **for_tests(values)})


def for_tests(values: Mapping[str, str]) -> dict[str, str]:
    """The same servers, with a virtual host of RabbitMQ's own for tests where it is our private one; no open egress."""
    values = {**values, EGRESS_VARIABLE: ""}
    if "BEATKEEPER_RABBITMQ_MANAGEMENT_URL" not in values:
        return values
    return {**values, "BROKER_URL": f"{values['BROKER_URL'].rpartition('/')[0]}/{TEST_VHOST}"}


def _passes(name: str, command: Sequence[str], environment: Mapping[str, str]) -> bool:
    print(f"== {name}", flush=True)
    return _run(command, environment) == 0


def _run(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run in the foreground. A Ctrl-C reaches the child too: wait for it to end in its own way."""
    with subprocess.Popen(list(command), cwd=ROOT, env=dict(environment), stdin=subprocess.DEVNULL) as child:
        try:
            return child.wait()
        except KeyboardInterrupt:
            return child.wait()
        finally:
            if child.poll() is None:
                child.terminate()
