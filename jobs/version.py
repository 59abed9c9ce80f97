"""The version of this package, as pyproject.toml has it."""

from __future__ import annotations

VERSION = "0.1.0"
