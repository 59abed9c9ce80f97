"""What this machine says of itself: disk, load, memory. Standard library only; what it does not tell is None."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

_KIB = 1024


def disk(path: str = "/") -> dict[str, Any]:
    """The file system under ``path``, in bytes."""
    usage = shutil.disk_usage(path)
    return {"path": path, "total": usage.total, "free": usage.free, "used_percent": _percent(usage.used, usage.total)}


def load() -> dict[str, Any]:
    """The load averages and the number of processors they are to be seen against."""
    try:
        averages: list[float] | None = [round(value, 2) for value in os.getloadavg()]
    except OSError:
        averages = None
    return {"averages": averages, "processors": os.cpu_count()}


def memory(meminfo: Path = Path("/proc/meminfo")) -> dict[str, Any] | None:
    """Total and available memory in bytes, as Linux reckons them."""
    try:
        pairs = (line.split(":", 1) for line in meminfo.read_text().splitlines() if ":" in line)
        sizes = {name: int(value.split()[0]) * _KIB for name, value in pairs}
        total, available = sizes["MemTotal"], sizes["MemAvailable"]
    except (OSError, KeyError, ValueError, IndexError):
        return None
    return {"total": total, "available": available, "used_percent": _percent(total - available, total)}


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0
