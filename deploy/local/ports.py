"""Look at every port before anything starts: a conflict found later costs half a start."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from deploy.local.errors import LocalError

# The offset from BEATKEEPER_PORT_BASE is the place in this list.
PRIVATE = (
    "PostgreSQL",
    "RabbitMQ",
    "RabbitMQ management",
    "Redis",
    "epmd",
    "Erlang distribution",
    "RabbitMQ metrics",
)
HOST = "127.0.0.1"
_LISTEN = "0A"


@dataclass(frozen=True, slots=True)
class Port:
    """A port we mean to open, and the variable that moves it."""

    number: int
    purpose: str
    variable: str


def parse(variable: str, value: str) -> int:
    """A port number, or an error that names the variable."""
    if value.isascii() and value.isdigit() and 1 <= int(value) <= 65535:
        return int(value)
    raise LocalError(f'{variable}="{value}" is not a port: a number from 1 to 65535 is needed.')


def check_free(ports: Iterable[Port]) -> None:
    """Raise where a port cannot be had, with one line for each variable to set; opens nothing."""
    seen: dict[int, Port] = {}
    problems: dict[str, str] = {}
    for port in ports:
        other = seen.setdefault(port.number, port)
        if other is not port:
            fault = f"is meant for {other.purpose} too"
        elif not is_free(port.number):
            fault = f"is taken{_by(port.number)}"
        else:
            continue
        line = f"Port {port.number} ({port.purpose}) {fault}: set {port.variable} to another."
        problems.setdefault(port.variable, line)
    if problems:
        raise LocalError("\n".join(problems.values()))


def is_free(number: int) -> bool:
    """Whether a server could listen here now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, number))
        except OSError:
            return False
    return True


def is_open(number: int) -> bool:
    """Whether someone listens here now."""
    try:
        socket.create_connection((HOST, number), timeout=1).close()
    except OSError:
        return False
    return True


def free_base(first: int) -> int:
    """The first base, in steps of 100, whose whole block is free."""
    for base in range(first, 65000, 100):
        if all(is_free(base + offset) for offset in range(len(PRIVATE))):
            return base
    raise LocalError("No free block of ports found: set BEATKEEPER_PORT_BASE.")


def _by(number: int) -> str:
    owner = find_owner(number)
    return f" by {owner}" if owner else ""


def find_owner(number: int) -> str | None:
    """``name (pid N)`` of the process that listens on a port, where the kernel lets us see it."""
    links = {f"socket:[{inode}]" for inode in _listening_inodes(number)}
    for descriptor in Path("/proc").glob("[0-9]*/fd/*") if links else ():
        try:
            if str(descriptor.readlink()) in links:
                process = descriptor.parents[1]
                return f"{(process / 'comm').read_text().strip()} (pid {process.name})"
        except OSError:
            continue  # gone meanwhile, or another user's
    return None


def _listening_inodes(number: int) -> set[str]:
    inodes = set()
    for table in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        for line in table.read_text().splitlines()[1:] if table.exists() else ():
            fields = line.split()
            if fields[3] == _LISTEN and int(fields[1].rpartition(":")[2], 16) == number:
                inodes.add(fields[9])
    return inodes
