"""Remove what was made under ``.local/``, and nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

from deploy.local.config import DEFAULT_LOCAL, Config
from deploy.local.errors import LocalError
from deploy.local.servers import MARK

_OURS = (
    *("env", "log", "postgres", "rabbitmq", "redis", "run", "secrets.json", "static"),
    *("bench", "bench-venv", "bench-venv.lock"),
    *("soak-*[0-9].txt", "soak-*[0-9].d"),
)
"""Names, or patterns of them."""


def reset(config: Config) -> None:
    """Remove data, logs, passwords, static files, and what benches and soaks left.

    A file of someone else's stays, and is named.
    """
    local = config.local
    if not local.exists():
        return
    if local != DEFAULT_LOCAL and not (local / MARK).exists():
        raise LocalError(f"{local} was not made by Beatkeeper: nothing was removed.")
    for path in [path for path in local.iterdir() if any(path.match(name) for name in _OURS)]:
        _remove(path)
    foreign = sorted(path.name for path in local.iterdir() if path.name != MARK)
    if foreign:
        raise LocalError(f"Not ours, left in {local}: {', '.join(foreign)}")
    (local / MARK).unlink(missing_ok=True)
    local.rmdir()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
