"""The demo's endpoints, all at its receiver, and the jobs that call them."""

from __future__ import annotations

from typing import Any

_MINUTELY = {"kind": "cron", "cron": "* * * * *"}

# By name: the path at the receiver and what it shows.
ENDPOINTS: dict[str, dict[str, Any]] = {
    "demo-ok": {"url": "/ok", "description": "Answers at once."},
    "demo-flaky": {"url": "/flaky", "description": "Answers 503 twice a run, with Retry-After: 3, then recovers."},
    "demo-slow": {"url": "/slow", "description": "Answers after 4 s.", "timeout_seconds": 10},
    "demo-gone": {"url": "/gone", "description": "Answers 410 Gone."},
}

HTTP_JOBS: tuple[dict[str, Any], ...] = (
    {
        **_MINUTELY,
        "name": "demo.http-ok",
        "endpoint": "demo-ok",
        "body": {"run": "{{ run }}", "note": "For {{ scheduled_for }}.", "attempt": "{{ attempt }}"},
        "description": "Posts a signed JSON body of its own to the receiver.",
    },
    {
        **_MINUTELY,
        "name": "demo.http-flaky",
        "endpoint": "demo-flaky",
        "description": "Is told twice to come back in 3 s, and succeeds on the third attempt with the same key.",
    },
    {
        **_MINUTELY,
        "name": "demo.http-slow",
        "endpoint": "demo-slow",
        "description": "Waits 4 s for its answer; a thousand such calls share one worker process.",
    },
    {
        "name": "demo.http-gone",
        "kind": "cron",
        "cron": "*/2 * * * *",
        "endpoint": "demo-gone",
        "description": "Is answered 410 Gone: dead at once, since no retry would help.",
    },
)
