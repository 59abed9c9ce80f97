"""The demo's jobs."""

from __future__ import annotations

from typing import Any

SOURCE = "demo"
_MODULE = "scheduler_project.demo.tasks"
_MINUTELY = {"kind": "cron", "cron": "* * * * *", "source": SOURCE}

JOBS: tuple[dict[str, Any], ...] = (
    {
        **_MINUTELY,
        "name": "demo.machine-report",
        "task": f"{_MODULE}.inspect_machine",
        "description": "Reports on this machine's disk, load, memory and trusted certificates.",
    },
    {
        **_MINUTELY,
        "name": "demo.fails-twice",
        "task": f"{_MODULE}.fail_twice",
        "description": "Fails on two attempts and succeeds on the third.",
        "backoff_cap_seconds": 5.0,
    },
    {
        **_MINUTELY,
        "name": "demo.always-dies",
        "task": f"{_MODULE}.always_die",
        "description": "Fails on every attempt and ends dead.",
        "max_attempts": 3,
        "backoff_cap_seconds": 5.0,
    },
)
