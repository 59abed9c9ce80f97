"""Celery beat as the leader: ``beat_scheduler = "jobs.beat:Scheduler"``, which :mod:`jobs.install` sets."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    """``Scheduler`` is imported when beat asks for it: settings load this package before Django's apps are ready."""
    if name == "Scheduler":
        from jobs.beat.scheduler import Scheduler

        return Scheduler
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
