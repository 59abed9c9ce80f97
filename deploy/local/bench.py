"""The environment of the peers that ``make bench`` measures: kept out of ``.venv/``, which holds what we use."""

from __future__ import annotations

import fcntl
import hashlib
import subprocess
import sys
from pathlib import Path

from deploy.local.config import ROOT, Config
from deploy.local.errors import LocalError
from deploy.local.setup import UV

REQUIREMENTS = ROOT / "requirements" / "bench.txt"


def peers_python(config: Config) -> Path:
    """The Python that has the peers; the environment is built when it is not current."""
    folder = config.local / "bench-venv"
    python = folder / "bin" / "python"
    stamp = folder / "beatkeeper-stamp"
    fingerprint = hashlib.sha256(REQUIREMENTS.read_bytes() + sys.version.encode()).hexdigest()
    config.local.mkdir(exist_ok=True)
    with (config.local / "bench-venv.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two benches at once build it once
        if not stamp.exists() or stamp.read_text() != fingerprint:
            print("Installing the peers …", flush=True)
            _build(folder, python)
            stamp.write_text(fingerprint)
    return python


def _build(folder: Path, python: Path) -> None:
    """With uv where it is to be had, as .venv itself is."""
    venv = [sys.executable, "-m", "venv", "--clear", str(folder)]
    if UV.exists():
        _run([*venv, "--without-pip"])
        _run([str(UV), "pip", "sync", "-q", "--python", str(python), "--require-hashes", str(REQUIREMENTS)])
    else:
        _run(venv)
        _run([str(python), "-m", "pip", "install", "-q", "--require-hashes", "-r", str(REQUIREMENTS)])


def _run(command: list[str]) -> None:
    if subprocess.run(command).returncode:
        raise LocalError(f"The peers could not be installed: {' '.join(command)} failed.")
