"""Passwords of this checkout: made once, kept in ``.local/secrets.json`` for its owner alone."""

from __future__ import annotations

import base64
import json
import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path


def _password() -> str:
    return secrets.token_urlsafe(12)


def _signing_secret() -> str:
    """As Standard Webhooks writes one: 32 bytes."""
    return f"whsec_{base64.b64encode(secrets.token_bytes(32)).decode()}"


_MAKERS: Mapping[str, Callable[[], str]] = {
    **dict.fromkeys(("postgres", "rabbitmq", "redis", "admin", "flower"), _password),
    "django": lambda: secrets.token_urlsafe(48),
    "receiver": _signing_secret,
}


def load(local: Path) -> Mapping[str, str]:
    """The secrets by name; those that are missing are made."""
    path = local / "secrets.json"
    known: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
    missing = {name: make() for name, make in _MAKERS.items() if name not in known}
    if missing:
        known |= missing
        write_private(path, json.dumps(known, indent=2) + "\n")
    return known


def write_private(path: Path, text: str) -> None:
    """Write a whole file that only its owner can read, never half of one."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
    draft.replace(path)
