"""A folder and a block of ports for one set of servers, reserved by a lock of the kernel's.

Whoever holds the lock owns the block, so two test runs never choose the same; what a killed run left in the folder is
removed by the next one that reserves its block.
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.local import config, servers
from deploy.local.config import Config
from deploy.local.ports import is_free

ROOT = Path("/var/tmp/beatkeeper-crash")  # open to the user that PostgreSQL runs as
BLOCK = 20
STANDBY_OFFSET = 10  # from the block's base to the base of a standby's ports
BASES = range(18_000, 30_000, BLOCK)  # below what the kernel gives to clients


@contextmanager
def reserved() -> Iterator[Config]:
    """The configuration of a set of servers; its folder is empty, and gone afterwards."""
    ROOT.mkdir(mode=0o711, exist_ok=True)
    _sweep()
    for base in BASES:
        with (ROOT / f"{base}.lock").open("w") as lock:
            if _is_taken(lock.fileno()) or not all(is_free(port) for port in range(base, base + BLOCK)):
                continue
            made = config_at(base)
            try:
                yield made
            finally:
                shutil.rmtree(made.local, ignore_errors=True)
            return
    raise RuntimeError(f"No free block of {BLOCK} ports from {BASES.start} to {BASES.stop}.")


def config_at(base: int) -> Config:
    """Folder and ports by the number of the first port."""
    folder = ROOT / str(base)
    shutil.rmtree(folder, ignore_errors=True)
    made = config.load({"BEATKEEPER_LOCAL_DIR": str(folder), "BEATKEEPER_PORT_BASE": str(base)})
    servers.lay_out(made)
    return made


def _sweep() -> None:
    """Remove the folders of runs that were killed."""
    for folder in ROOT.iterdir():
        if folder.is_dir():
            base = int(folder.name) // BLOCK * BLOCK
            with (ROOT / f"{base}.lock").open("w") as lock:
                if not _is_taken(lock.fileno()):
                    shutil.rmtree(folder, ignore_errors=True)


def _is_taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False
