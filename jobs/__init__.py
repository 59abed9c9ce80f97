"""Beatkeeper: a job scheduler for Django and Celery that accounts for every slot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jobs.worker.current import CurrentRun, current_run

__all__ = ["CurrentRun", "current_run"]

# Loaded on first use: importing the package, as an installed app is, must not import models.
_HOMES = {"CurrentRun": "jobs.worker.current", "current_run": "jobs.worker.current"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
