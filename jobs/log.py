"""One helper for all logs: an event's name and its fields. No payloads and no secrets are ever passed here."""

from __future__ import annotations

import logging
import re
from typing import Any

_LOGGER = logging.getLogger("beatkeeper")
_PASSWORD_IN_URL = re.compile(r"(?<=://)([^/@\s:]*):[^/@\s]*@")


def is_shown(level: int) -> bool:
    """Whether events of this level are logged: for who would gather fields a thousand times a second for nothing."""
    return _LOGGER.isEnabledFor(level)


def event(name: str, /, *, level: int = logging.INFO, **fields: Any) -> None:
    """Log ``name field=value …``; a password within a URL is masked."""
    if is_shown(level):
        text = " ".join(f"{key}={_plain(value)}" for key, value in fields.items() if value is not None)
        _LOGGER.log(level, "%s %s", name, text)


def warning(name: str, /, **fields: Any) -> None:
    """An event that someone should look at."""
    event(name, level=logging.WARNING, **fields)


def error(name: str, /, **fields: Any) -> None:
    """An event that someone must look at."""
    event(name, level=logging.ERROR, **fields)


def _plain(value: object) -> str:
    text = _PASSWORD_IN_URL.sub(r"\1:***@", str(value)).replace("\n", "\\n")
    return f'"{text}"' if " " in text else text
