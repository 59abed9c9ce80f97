"""The tests in a real browser: Debian's Chromium, installed where it is missing."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from deploy.local import apt, check
from deploy.local.config import Config

_CHROMIUM = "chromium"


def test(config: Config, arguments: Sequence[str]) -> int:
    """Run them on real servers; returns pytest's exit code."""
    if shutil.which(_CHROMIUM) is None:
        apt.install([_CHROMIUM])
    return check.python(config, "-m", "pytest", "tests/browser", *arguments)
