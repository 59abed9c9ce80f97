"""The order of the job page. Without the script all targets and kinds of schedule are shown; with it, the chosen."""

from __future__ import annotations

from typing import Any

_CHOICE: Any = ("Target", {"fields": ["target_kind"]})
_TASK: Any = ("Celery task", {"classes": ["target-fields", "target-task"], "fields": ["task", "args", "kwargs"]})
_ENDPOINT: Any = (
    "HTTP endpoint",
    {"classes": ["target-fields", "target-endpoint"], "fields": ["endpoint", "body", "headers"]},
)
DEFINITION: list[tuple[str | None, Any]] = [
    (None, {"fields": ["name", "description", "enabled"]}),
    _CHOICE,
    _TASK,
    _ENDPOINT,
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
    ("Webhook", {"fields": ["webhook"]}),
    ("Filing", {"classes": ["collapse"], "fields": ["team", "labels", "parameters_schema"]}),
]


def looked_at(*, is_http: bool) -> list[tuple[str | None, Any]]:
    """For who may not edit: nothing is chosen, and the job's one target is shown."""
    left_out = (_CHOICE, _TASK if is_http else _ENDPOINT)
    return [fieldset for fieldset in DEFINITION if fieldset not in left_out]
