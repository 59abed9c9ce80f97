"""What beat needs of Celery's settings, where the team has set nothing else."""

from __future__ import annotations

from typing import Any

from celery import Celery
from celery.app.defaults import DEFAULTS

FOR_BEAT: dict[str, Any] = {
    "beat_scheduler": "jobs.beat:Scheduler",
    # A tick returns at least every second, which is also what the health check below counts on.
    "beat_max_loop_interval": 1.0,
    # With `beat_enable_remote_control`, `celery inspect ping` falls silent when no tick ended for this long.
    "beat_remote_control_max_tick_age": 15.0,
}


def configure_beat(app: Celery) -> None:
    """Replace Celery's defaults, and those alone."""
    for key, value in FOR_BEAT.items():
        if app.conf[key] == DEFAULTS[key]:
            app.conf[key] = value
