"""Where settings come from: the process's environment, else what `make up` wrote to ``.local/env``."""

from __future__ import annotations

import os
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent


def load(environ: dict[str, str] | os._Environ[str] = os.environ) -> None:
    """Fill what the environment leaves open from the private servers' file, if there is one."""
    folder = Path(environ.get("BEATKEEPER_LOCAL_DIR", BASE_DIR / ".local"))
    try:
        lines = (folder / "env").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        name, separator, value = line.partition("=")
        if separator and not name.startswith("#"):
            environ.setdefault(name.strip(), value.strip())
