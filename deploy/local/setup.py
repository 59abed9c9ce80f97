"""Build ``.venv/`` from the hashed requirements; nothing to do when it is current.

The one module here that runs outside ``.venv``: standard library only, and plain enough for an old Python to read, so
that it can say that it is too old.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
UV = VENV / "bin" / "uv"
STAMP = VENV / "beatkeeper-stamp"
REQUIREMENTS = ROOT / "requirements" / "dev.txt"
UV_REQUIREMENTS = ROOT / "requirements" / "uv.txt"
NEEDED = (3, 11)
_SET_BY_HAND = "--this-python"


def main(arguments: list[str]) -> None:
    with REQUIREMENTS.open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two targets at once build it once
        rebuild = _SET_BY_HAND in arguments and _version_of_venv() not in (None, _version(sys.version_info[:2]))
        if rebuild or not _is_current():
            _build(fresh=rebuild)


def _build(*, fresh: bool) -> None:
    if fresh or _version_of_venv() is None:
        _check_python()
        print(f"Making .venv with Python {sys.version.split()[0]} …", flush=True)
        _run([sys.executable, "-m", "venv", "--clear", str(VENV)])
    STAMP.unlink(missing_ok=True)
    print("Installing the requirements …", flush=True)
    _install()
    STAMP.write_text(_fingerprint())


def _install() -> None:
    """With uv, which takes seconds; where it is not to be had, with pip."""
    pip = [str(VENV_PYTHON), "-m", "pip", "--disable-pip-version-check", "install", "-q", "--require-hashes", "-r"]
    if subprocess.run([*pip[:3], "--version"], capture_output=True).returncode:
        _run([str(VENV_PYTHON), "-m", "ensurepip", "-q"])
    if subprocess.run([*pip, str(UV_REQUIREMENTS)]).returncode == 0:
        sync = [str(UV), "pip", "sync", "-q", "--compile-bytecode", "--python", str(VENV_PYTHON), "--require-hashes"]
        if subprocess.run([*sync, str(REQUIREMENTS), str(UV_REQUIREMENTS)]).returncode == 0:
            return
    print("uv could not install them; trying pip …", flush=True)
    _run([*pip, str(REQUIREMENTS)])


def _is_current() -> bool:
    return STAMP.exists() and STAMP.read_text() == _fingerprint() and VENV_PYTHON.exists()


def _fingerprint() -> str:
    return hashlib.sha256(REQUIREMENTS.read_bytes() + UV_REQUIREMENTS.read_bytes()).hexdigest()


def _version(info: tuple[int, int]) -> str:
    return f"{info[0]}.{info[1]}"


def _version_of_venv() -> str | None:
    """``3.11`` of an existing .venv that works, else None."""
    command = [str(VENV_PYTHON), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def _check_python() -> None:
    if sys.version_info < NEEDED:
        sys.exit(
            f"Python {_version(NEEDED)} or newer is needed, {sys.executable} is {sys.version.split()[0]}: "
            "name another with PYTHON=, such as `make setup PYTHON=python3.13`."
        )
    if importlib.util.find_spec("ensurepip") is None:
        sys.exit(
            f"{sys.executable} cannot make virtual environments: `sudo apt-get install python3-venv`, "
            "then run the command again."
        )


def _run(command: list[str]) -> None:
    result = subprocess.run(command)
    if result.returncode:
        sys.exit(f"Failed: {' '.join(command)}")


if __name__ == "__main__":
    main(sys.argv[1:])
