"""The order of the job page. Without the script all kinds of schedule are shown; with it, the chosen one."""

from __future__ import annotations

STANDING = (
    "Where it stands",
    {"fields": [("state", "next_slot"), ("last_run", "last_slot"), "history_links"]},
)

DEFINITION = [
    (None, {"fields": ["name", "description", "enabled"]}),
    ("Target", {"fields": ["task", "args", "kwargs"]}),
    ("Schedule", {"classes": ["schedule-part"], "fields": ["kind"]}),
    ("Cron", {"classes": ["schedule-part", "kind-fields", "kind-cron"], "fields": ["cron"]}),
    (
        "Interval",
        {"classes": ["schedule-part", "kind-fields", "kind-interval"], "fields": ["interval_seconds", "anchor_at"]},
    ),
    (
        "Calendar",
        {
            "classes": ["schedule-part", "kind-fields", "kind-calendar"],
            "fields": [("calendar_every", "calendar_unit"), ("anchor_date", "wall_time")],
        },
    ),
    ("Once", {"classes": ["schedule-part", "kind-fields", "kind-once"], "fields": ["once_at"]}),
    (
        "Zone and bounds",
        {"classes": ["schedule-end"], "fields": ["timezone", "coming_slots", ("start_at", "end_at"), "spread_seconds"]},
    ),
    (
        "Policies",
        {
            "description": "What happens to slots that come late, or while a run is active.",
            "fields": ["concurrency_policy", "starting_deadline_seconds", ("catch_up", "catch_up_limit")],
        },
    ),
    (
        "Execution",
        {
            "fields": [
                ("queue", "priority"),
                ("timeout_seconds", "soft_timeout_seconds"),
                "delivery",
            ]
        },
    ),
    (
        "Retries",
        {"fields": ["max_attempts", ("backoff_kind", "jitter"), ("backoff_base_seconds", "backoff_cap_seconds")]},
    ),
    ("Filing", {"classes": ["collapse"], "fields": ["team", "labels"]}),
]
