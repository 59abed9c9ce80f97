"""Wrong clocks: the environment under which a program sees another wall time. Its monotonic clock stays right."""

from __future__ import annotations

import os
from pathlib import Path

from deploy.local import apt

_LIBRARIES = Path("/usr/lib")
_FOR_PYTHON = Path(__file__).with_name("faked")


def shifted(seconds: float) -> dict[str, str]:
    """A clock that is off by this much."""
    return {**_faked(), "FAKETIME": f"{seconds:+g}"}


def stepped(rate_file: Path) -> dict[str, str]:
    """A clock that follows :func:`step`, looked up again at each reading."""
    step(rate_file, 0)
    return {**_faked(), "FAKETIME_TIMESTAMP_FILE": str(rate_file), "FAKETIME_NO_CACHE": "1"}


def step(rate_file: Path, seconds: float) -> None:
    """From now on, clocks that follow this file are off by this much; programs of any user can read it."""
    draft = rate_file.with_suffix(".draft")
    draft.write_text(f"{seconds:+g}\n")
    draft.chmod(0o644)
    draft.replace(rate_file)


def _faked() -> dict[str, str]:
    paths = [str(_FOR_PYTHON), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        "LD_PRELOAD": str(_library()),
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "DONT_FAKE_MONOTONIC": "1",
        "PYTHONPATH": os.pathsep.join(paths),
    }


def _library() -> Path:
    for _ in range(2):
        if found := sorted(_LIBRARIES.glob("*/faketime/libfaketimeMT.so.1")):
            return found[0]
        apt.install(["faketime"])
    raise RuntimeError(f"No libfaketimeMT.so.1 under {_LIBRARIES}: install the package faketime.")
