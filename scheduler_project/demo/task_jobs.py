"""The demo's jobs that run Celery tasks."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

_MODULE = "scheduler_project.demo.tasks"
_MINUTELY = {"kind": "cron", "cron": "* * * * *"}
_TICK = {"task": f"{_MODULE}.tick", "queue": "jobs.fast"}
_REST = f"{_MODULE}.rest"

ONE_THING_TASKS: tuple[dict[str, Any], ...] = (
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
    {
        **_MINUTELY,
        "name": "demo.asks-for-later",
        "task": f"{_MODULE}.ask_for_later",
        "description": "Asks with self.retry to go on 75 s later; it waits in the database, not in a worker.",
    },
    {
        "name": "demo.report",
        "kind": "manual",
        "task": f"{_MODULE}.count_reports",
        "parameters_schema": {
            "type": "object",
            "required": ["day"],
            "additionalProperties": False,
            "properties": {"day": {"type": "string", "format": "date"}},
        },
        "description": "Is started by POST /v1/reports, which answers 202 with the operation to wait for.",
    },
    {
        "name": "demo.longer-than-lease",
        "kind": "cron",
        "cron": "*/2 * * * *",
        "task": _REST,
        "args": [40],
        "description": "Takes 40 s, longer than its lease of 30 s, which the worker renews.",
    },
)

OVERLAPS: tuple[dict[str, Any], ...] = (
    {
        "name": "demo.forbid",
        "kind": "interval",
        "interval_seconds": 10,
        "task": _REST,
        "args": [12],
        "concurrency_policy": "forbid",
        "description": "Due every 10 s, takes 12 s and may not overlap: every other slot is skipped.",
    },
    {
        "name": "demo.replace",
        "kind": "interval",
        "interval_seconds": 10,
        "task": _REST,
        "args": [18],
        "concurrency_policy": "replace",
        "description": "Due every 10 s, takes 18 s and is replaced by the next: each run is cancelled.",
    },
)


SCHEDULES: tuple[dict[str, Any], ...] = (
    {
        **_TICK,
        "name": "demo.every-15-seconds",
        "kind": "interval",
        "interval_seconds": 15,
        "description": "An interval, on the queue for short tasks.",
    },
    {
        **_TICK,
        "name": "demo.delayed",
        "kind": "manual",
        "description": "Has no schedule; a run was asked for with a delay of 90 s.",
    },
    {
        **_TICK,
        "name": "demo.start-deadline",
        "kind": "cron",
        "cron": "*/5 * * * *",
        "starting_deadline_seconds": 1,
        "description": "Must start within 1 s: a run asked for before any worker is there is missed.",
    },
    {
        # Any ten Sundays of these months in a row hold the last of March or of October, when the clocks change.
        **_TICK,
        "name": "demo.clock-change",
        "kind": "cron",
        "cron": "30 2 * 3,10 0",
        "timezone": "Europe/Berlin",
        "description": "Sundays at 02:30 in the months when Berlin's clocks change: see the coming slots.",
    },
)


def told_from(now: datetime) -> tuple[dict[str, Any], ...]:
    """Jobs whose times are told from the moment that the demo is laid out, in whole seconds."""
    return (
        {
            **_TICK,
            "name": "demo.once",
            "kind": "once",
            "once_at": now + timedelta(minutes=1),
            "description": "Runs once, a minute after the demo was laid out.",
        },
        {
            **_TICK,
            **_MINUTELY,
            "name": "demo.paused",
            "paused": True,
            "paused_until": now + timedelta(minutes=2),
            "pause_reason": "The demo pauses it for its first two minutes.",
            "description": "Is paused at first: those slots are a gap with its reason.",
        },
    )
