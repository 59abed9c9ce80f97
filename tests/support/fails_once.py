"""A call that fails the first time, as when the database is away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import OperationalError


def fails_once(real: Callable[..., Any]) -> Callable[..., Any]:
    """Raises OperationalError once; from then on it does what ``real`` does."""
    failures = [OperationalError("away")]

    def call(*args: Any, **options: Any) -> Any:
        if failures:
            raise failures.pop()
        return real(*args, **options)

    return call
