"""Install missing programs with apt, where we may; say what to do where we may not."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence

from deploy.local.errors import LocalError

_INSTALL = ["apt-get", "install", "-y", "--no-install-recommends"]


def install(packages: Sequence[str], *, note: str = "", otherwise: str = "") -> None:
    """Install packages as root or through a sudo that asks nothing.

    ``note`` is said of what is done, ``otherwise`` is what else can be done where it may not be.
    """
    refusal = _cannot_install(packages, otherwise)
    prefix = _root_prefix()
    if shutil.which("apt-get") is None or prefix is None:
        raise LocalError(refusal)
    print(f"Installing {', '.join(packages)} with apt{note and f'; {note}'}.", flush=True)
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
        raise LocalError(f"{result.stdout.strip()}\napt failed. {refusal}")


def _root_prefix() -> list[str] | None:
    if os.geteuid() == 0:
        return []
    asks_nothing = ["sudo", "-n", "true"]
    if shutil.which("sudo") and subprocess.run(asks_nothing, capture_output=True).returncode == 0:
        return ["sudo", "-n"]
    return None


def _cannot_install(packages: Sequence[str], otherwise: str) -> str:
    lines = [
        f"Missing: {', '.join(packages)}. Install what is missing, then run the command again:",
        f"  sudo {' '.join(_INSTALL)} {' '.join(packages)}",
    ]
    return "\n".join([*lines, otherwise] if otherwise else lines)
