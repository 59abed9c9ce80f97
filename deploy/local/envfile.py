"""The file ``.local/env``: KEY=VALUE lines that the settings read where the environment is silent."""

from __future__ import annotations

import shlex
from collections.abc import Mapping


def dump(values: Mapping[str, str]) -> str:
    return "".join(f"{name}={value}\n" for name, value in values.items())


def parse(text: str) -> dict[str, str]:
    """Values by name. Blank lines and comments are passed over; a value may hold ``=``."""
    lines = (line.strip() for line in text.splitlines())
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    return {name.strip(): value.strip() for name, separator, value in pairs if separator}


def exports(values: Mapping[str, str]) -> str:
    """The same for a shell: ``eval "$(make -s env)"``."""
    return "".join(f"export {name}={shlex.quote(value)}\n" for name, value in values.items())
