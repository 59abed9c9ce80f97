"""RabbitMQ's programs: this system's, or those of another root tree, where another version is to be tried.

``BEATKEEPER_RABBITMQ_ROOT`` names a folder with a whole Debian or Ubuntu, as debootstrap makes one. Its programs run in
a mount namespace of their own, in which its /usr, with its C library and its Erlang, lies over ours. All else is as
outside: folders, ports, and pids, since each step becomes the next one. So a signal to the process that was started
hits the server, and what ends with us still does.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from deploy.local.errors import LocalError

VARIABLE = "BEATKEEPER_RABBITMQ_ROOT"
_SYSTEM = Path("/")
_ENTER = 'mount --bind "$1/usr" /usr && shift && exec "$@"'
_HOW = "Name a root tree in which rabbitmq-server is installed, or none for this system's."


def root() -> Path:
    """Where the programs are: the tree that the environment names, or this system's own root."""
    named = os.environ.get(VARIABLE)
    return Path(named).resolve() if named else _SYSTEM


def is_other() -> bool:
    """Whether a tree is named."""
    return root() != _SYSTEM


def holds(program: Path) -> bool:
    """Whether the program is there; an error where a tree is named that lacks it."""
    if within(program).exists():
        return True
    if is_other():
        raise LocalError(f"{VARIABLE}={root()} holds no {program}. {_HOW}")
    return False


def within(program: Path) -> Path:
    """Where the program's file lies, seen from here."""
    return root() / program.relative_to("/")


def command(*words: str) -> list[str]:
    """The command line that runs one of the programs; as another user than root it enters as root of its own."""
    if not is_other():
        return list(words)
    as_root = [] if os.geteuid() == 0 else ["--map-root-user"]
    return ["unshare", "--mount", *as_root, "sh", "-c", _ENTER, "sh", str(root()), *words]


def check_reaches(folder: Path) -> None:
    """Raise where the tree cannot be entered, or does not see this folder of ours from within."""
    found = subprocess.run(command("test", "-w", str(folder)), capture_output=True, text=True, cwd="/")
    if found.returncode:
        reason = found.stderr.strip() or f"{folder} is hidden by its /usr: set BEATKEEPER_LOCAL_DIR to another folder."
        raise LocalError(
            f"The root tree {VARIABLE}={root()} cannot be used: {reason}\n"
            "It takes root, or a kernel that gives users a mount namespace; and /lib must be part of /usr in the tree "
            f"as it is here, as in Debian since 12. {_HOW}"
        )
