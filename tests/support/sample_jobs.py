"""The made-up shop's jobs, endpoints and gaps, and what the letters of a history stand for."""

from __future__ import annotations

from typing import Any, NamedTuple

from jobs.domain.states import GapReason, RunStatus


class SampleJob(NamedTuple):
    """``history``: a letter a run, oldest first. ``error``: why it is parked."""

    name: str
    history: str
    fields: dict[str, Any]
    error: str = ""


class Outcome(NamedTuple):
    """How a run stands, with (kind, type, message) of each attempt that failed."""

    status: RunStatus
    attempts: int = 1
    errors: tuple[tuple[str, str, str], ...] = ()
    last_error: str = ""


class Gap(NamedTuple):
    """Slots that did not run, as hours before now."""

    hours_ago: float
    hours: float
    count: int
    reason: GapReason


_BUSY = ("failed", "HTTP 503", 'Service Unavailable, in 0.05 s: {"error": "maintenance", "retry_after": 40}')
_OFTEN = ("failed", "HTTP 429", 'Too Many Requests, in 0.03 s: {"error": "slow down"}')
_LOCKED = ("failed", "GatewayError", "[E1042] batch 2210 is locked by another session")
_LATE = ("timed_out", "TimeLimitExceeded", "The attempt was ended after 30 s.")
OUTCOMES = {
    "s": Outcome(RunStatus.SUCCEEDED),
    "r": Outcome(RunStatus.SUCCEEDED, 3, (_BUSY, _OFTEN)),
    "d": Outcome(RunStatus.DEAD, 3, (_LOCKED, _LATE, _LOCKED), f"{_LOCKED[1]}: {_LOCKED[2]}"),
    "h": Outcome(RunStatus.DEAD, 3, (_BUSY, _BUSY, _BUSY), f"{_BUSY[1]}: {_BUSY[2]}"),
    "x": Outcome(RunStatus.RUNNING),
    "w": Outcome(RunStatus.QUEUED, 1, (_BUSY,), f"{_BUSY[1]}: {_BUSY[2]}"),
    "m": Outcome(RunStatus.MISSED, 0, (), "Its start deadline had passed."),
    "k": Outcome(RunStatus.SKIPPED, 0, (), "A run of the job was active, and its policy is forbid."),
    "c": Outcome(RunStatus.CANCELLED, 0, (), "Cancelled before it started."),
}

ENDPOINTS: dict[str, dict[str, Any]] = {
    "supplier-feed": {"url": "https://feeds.supplier.example/v2/refresh", "timeout_seconds": 20},
    "stock-service": {"url": "https://stock.shop.example/hooks/check"},
}

JOBS = (
    SampleJob(
        "billing.close-period",
        "ssssssrsssssmssssdss",
        {
            "description": "Closes the half-month and writes the statements.",
            "kind": "cron",
            "cron": "30 2 14,28 * *",
            "timezone": "Europe/Berlin",
            "task": "billing.tasks.close_period",
            "catch_up": "all",
        },
    ),
    SampleJob(
        "catalog.import-feed",
        "ssrssshssssrsssshssr",
        {
            "description": "Asks the supplier to send its catalogue.",
            "kind": "cron",
            "cron": "*/10 * * * *",
            "timezone": "Asia/Kolkata",
            "endpoint": "supplier-feed",
            "max_attempts": 3,
        },
    ),
    SampleJob(
        "crm.sync-contacts",
        "sssssksssssskksssssx",
        {
            "kind": "interval",
            "interval_seconds": 900,
            "task": "crm.tasks.sync_contacts",
            "concurrency_policy": "forbid",
        },
    ),
    SampleJob(
        "mail.daily-digest",
        "ssssssssssssssssssss",
        {
            "kind": "cron",
            "cron": "0 7 * * 1-5",
            "timezone": "America/New_York",
            "task": "mail.tasks.send_digest",
        },
    ),
    SampleJob(
        "mail.poll-inbox",
        "sssssssssssscssss",
        {
            "kind": "interval",
            "interval_seconds": 300,
            "task": "mail.tasks.poll_inbox",
            "paused": True,
            "pause_reason": "the mail server moves",
        },
    ),
    SampleJob(
        "payments.settle",
        "sssssssssssssddssssd",
        {
            "description": "Settles the day's card payments with the bank.",
            "kind": "cron",
            "cron": "0 6 * * *",
            "timezone": "Europe/London",
            "task": "payments.tasks.settle",
            "max_attempts": 3,
            "timeout_seconds": 30,
        },
    ),
    SampleJob(
        "reports.quarterly",
        "sss",
        {
            "kind": "calendar",
            "calendar_every": 3,
            "calendar_unit": "month",
            "anchor_date": "2026-01-01",
            "wall_time": "09:00:00",
            "timezone": "America/Sao_Paulo",
            "task": "reports.tasks.quarterly",
        },
    ),
    SampleJob("search.rebuild-index", "ssds", {"kind": "manual", "task": "search.tasks.rebuild_index"}),
    SampleJob(
        "stock.check-levels",
        "ssssssssssssssssssrw",
        {"kind": "cron", "cron": "* * * * *", "endpoint": "stock-service", "max_attempts": 5},
    ),
    SampleJob(
        "stock.legacy-export",
        "ssssss",
        {"kind": "cron", "cron": "0 4 * * 1", "task": "stock.tasks.export", "enabled": False},
    ),
    SampleJob("tenants.move", "", {"kind": "once", "once_in_days": 91, "task": "tenants.tasks.move"}),
    SampleJob(
        "warehouse.import",
        "sssss",
        {"kind": "cron", "cron": "0 5 * * *", "task": "warehouse.tasks.load"},
        'Cron "0 25 * * *" is invalid: hour 25 is outside 0-23.',
    ),
)

GAPS = {
    "billing.close-period": (
        Gap(24 * 40, 30, 1, GapReason.PAUSED),
        Gap(24 * 130, 24, 1, GapReason.CATCH_UP),
        Gap(24 * 200, 700, 2, GapReason.EDITED),
    ),
    "mail.poll-inbox": (Gap(1, 7, 84, GapReason.PAUSED),),
    "stock.check-levels": (Gap(26, 2.5, 150, GapReason.CATCH_UP),),
}
