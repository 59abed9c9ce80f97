"""Install missing servers with apt, where we may; say what to do where we may not."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence

from deploy.local.config import SERVER_VARIABLES
from deploy.local.errors import LocalError

_INSTALL = ["apt-get", "install", "-y", "--no-install-recommends"]


def install(packages: Sequence[str]) -> None:
    """Install packages as root or through a sudo that asks nothing."""
    prefix = _root_prefix()
    if shutil.which("apt-get") is None or prefix is None:
        raise LocalError(_cannot_install(packages))
    print(
        f"Installing {', '.join(packages)} with apt; other ports and folders than the system's are used.",
        flush=True,
    )
    keep_quiet = ["env", "DEBIAN_FRONTEND=noninteractive"]
    for command in (["apt-get", "update", "-qq"], [*_INSTALL, "-qq", *packages]):
        result = subprocess.run(
            [*prefix, *keep_quiet, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    if result.returncode:
        raise LocalError(f"{result.stdout.strip()}\napt failed. {_cannot_install(packages)}")


def _root_prefix() -> list[str] | None:
    if os.geteuid() == 0:
        return []
    asks_nothing = ["sudo", "-n", "true"]
    if shutil.which("sudo") and subprocess.run(asks_nothing, capture_output=True).returncode == 0:
        return ["sudo", "-n"]
    return None


def _cannot_install(packages: Sequence[str]) -> str:
    return (
        f"Missing: {', '.join(packages)}. Do one of these, then run the command again:\n"
        f"  sudo {' '.join(_INSTALL)} {' '.join(packages)}\n"
        f"  set {', '.join(SERVER_VARIABLES)} to servers that run elsewhere"
    )
