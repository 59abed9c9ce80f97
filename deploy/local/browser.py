"""The tests in a real browser, and that of the receiver for Node: Debian's packages, installed where missing."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from deploy.local import apt, check
from deploy.local.config import Config

_PACKAGES = {"chromium": "chromium", "node": "nodejs"}
"""By the program that each brings."""


def test(config: Config, arguments: Sequence[str]) -> int:
    """Run them on real servers; returns pytest's exit code."""
    if missing := [package for program, package in _PACKAGES.items() if shutil.which(program) is None]:
        apt.install(missing)
    return check.python(config, "-m", "pytest", "tests/browser", *arguments)
