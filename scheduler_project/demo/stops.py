"""What there is to see in the demo, job by job."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from jobs.domain.states import RunStatus


@dataclass(frozen=True, slots=True)
class Stop:
    """One job of the tour. ``fits`` finds the run that shows it; where it is None, the job's own page does.

    ``needs_gap``: there is something to see once the job has a gap.
    """

    job: str
    look: str
    fits: dict[str, Any] | None = field(default_factory=lambda: {"status": RunStatus.SUCCEEDED})
    needs_gap: bool = False


_RETRIED = {"status": RunStatus.SUCCEEDED, "attempts__gt": 1}
_WAITING = {"status": RunStatus.QUEUED, "attempts": 1}
_DEAD = {"status": RunStatus.DEAD}

STOPS = (
    Stop("demo.machine-report", "A plain Celery task; what it returned is the run's result."),
    Stop("demo.fails-twice", "Three attempts, each failure with its traceback.", _RETRIED),
    Stop("demo.always-dies", "A dead run with its errors, and the button that replays it.", _DEAD),
    Stop("demo.asks-for-later", "A run that waits for its retry.", _WAITING),
    Stop(
        "demo.report", "A job that a view starts: POST /v1/reports, as the tutorial of long-running views does.", None
    ),
    Stop("demo.longer-than-lease", "40 s under a lease of 30 s, renewed every 5 s: one attempt."),
    Stop("demo.forbid", "A slot skipped since the run before it was still at work.", {"status": RunStatus.SKIPPED}),
    Stop("demo.replace", "A run cancelled by the next one.", {"status": RunStatus.CANCELLED}),
    Stop("demo.every-15-seconds", "An interval; its runs are on the queue for short tasks."),
    Stop("demo.once", "One run, a minute after the demo was laid out."),
    Stop("demo.delayed", "A run asked for by hand, 90 s before it was to start."),
    Stop("demo.start-deadline", "A run that nobody could start in time.", {"status": RunStatus.MISSED}),
    Stop("demo.paused", "The gap in its history: how many slots did not run, and why.", None, needs_gap=True),
    Stop("demo.clock-change", "The coming slots, and below them what the next clock change does to them.", None),
    Stop("demo.http-ok", "A signed call with a body of the job's own; the answer is the run's result."),
    Stop("demo.http-flaky", "Two answers 503 with Retry-After, then a success under the same key.", _RETRIED),
    Stop("demo.http-slow", "A call that waits for its answer."),
    Stop("demo.http-gone", "410 Gone: dead at once, after one attempt.", _DEAD),
)
