"""``python -m deploy.local COMMAND``: what the Makefile's targets call."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from deploy.local import browser, check, config, envfile, lock, reset, servers, tour, up
from deploy.local.config import Config
from deploy.local.errors import LocalError


def _down(settings: Config) -> None:
    up.stop(settings)
    servers.stop(settings)


def _reset(settings: Config) -> None:
    _down(settings)
    reset.reset(settings)


def _env(settings: Config) -> None:
    print(envfile.exports(servers.environment(settings)), end="")


_Command = Callable[[Config, Sequence[str]], int | None]
_COMMANDS: Mapping[str, _Command] = {
    "up": lambda settings, _: up.up(settings),
    "down": lambda settings, _: _down(settings),
    "reset": lambda settings, _: _reset(settings),
    "demo-tour": lambda settings, _: tour.tour(settings),
    "servers": lambda settings, _: servers.start_to_stay(settings),
    "env": lambda settings, _: _env(settings),
    "test": lambda settings, more: check.python(settings, "-m", "pytest", *more),
    "browser": lambda settings, more: browser.test(settings, more),
    "crash": lambda settings, more: check.python(settings, "-m", "pytest", "tests/crash", *more),
    "bench": lambda settings, more: check.python(settings, "-m", "tests.bench", *more),
    "check": lambda settings, _: check.check(settings),
    "lock": lambda _, more: lock.lock(more),
}


def main(arguments: Sequence[str]) -> int:
    """Run one command; returns the exit code."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    if not arguments or arguments[0] not in _COMMANDS:
        raise LocalError(f"Name a command: {', '.join(_COMMANDS)}.")
    return _COMMANDS[arguments[0]](config.load(), arguments[1:]) or 0


def _leave(number: int, _frame: object) -> NoReturn:
    """End by an exception, so that what was started is stopped."""
    sys.exit(128 + number)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except LocalError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)
