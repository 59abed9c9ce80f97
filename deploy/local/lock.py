"""Compile the hashed requirements anew from ``pyproject.toml``. They name no registry and no path."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from deploy.local.config import ROOT
from deploy.local.setup import UV

_COMPILE = ("pip", "compile", "-q", "--universal", "--generate-hashes", "--no-emit-index-url", "--no-header")


def lock(arguments: Sequence[str]) -> None:
    """Keep the versions that are locked, unless told otherwise (``--upgrade``)."""
    _compile("dev.txt", "pyproject.toml", "--extra", "dev", *arguments)
    _compile("base.txt", "pyproject.toml", "-c", "requirements/dev.txt", *arguments)
    _compile("bench.txt", "--group", "bench", "-c", "requirements/dev.txt", *arguments)
    _compile("uv.txt", "-", *arguments, given="uv\n")


def _compile(name: str, *arguments: str, given: str = "") -> None:
    command = [str(UV), *_COMPILE, *arguments, "-o", f"requirements/{name}"]
    subprocess.run(command, cwd=ROOT, input=given, text=True, check=True)
