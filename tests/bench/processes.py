"""Processor time of process trees, from /proc."""

from __future__ import annotations

import os
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def tree(root: int) -> set[int]:
    """A process and all that descend from it."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _fields(int(entry.name))):
            parents[int(entry.name)] = int(fields[1])
    found = {root}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def cpu_seconds(pids: set[int]) -> float:
    """User + system seconds of these processes so far."""
    return sum((int(fields[11]) + int(fields[12])) / _TICKS for pid in pids if (fields := _fields(pid)))


def peak_rss_mib(pid: int) -> float:
    """The most memory that the process held so far."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def _fields(pid: int) -> list[str]:
    """The fields of ``/proc/PID/stat`` from the state on; empty when it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
