"""What happens to a run next, in a sentence or two."""

from __future__ import annotations

from datetime import datetime

from jobs.admin import formats
from jobs.domain.messages import RunKey
from jobs.domain.states import RunStatus
from jobs.models import JobRun

_ENDED = {
    RunStatus.SUCCEEDED: "Nothing more: it has succeeded.",
    RunStatus.DEAD: "Nothing by itself. Replay queues it again under the same key, with attempts allowed anew.",
    RunStatus.SKIPPED: "Nothing: another run of the job was active, and its policy forbids a second one.",
    RunStatus.MISSED: "Nothing: it could not start in time and will not run.",
    RunStatus.CANCELLED: "Nothing: it was cancelled and will not run again.",
}


def next_step(run: JobRun, now: datetime) -> str:
    """By its status and times; the leader and the workers decide by the same columns."""
    if run.status == RunStatus.QUEUED:
        deadline = f" It is missed if it has not started by {_at(run, run.start_by, now)}." if run.start_by else ""
        return _queued(run, now) + deadline
    if run.status == RunStatus.RUNNING:
        return _running(run, now)
    return _ENDED[RunStatus(run.status)]


def _queued(run: JobRun, now: datetime) -> str:
    if run.run_after > now:
        start = f"starts {_at(run, run.run_after, now)}"
        return f"Attempt {run.attempts + 1} of {run.max_attempts} {start}." if run.attempts else f"It {start}."
    if run.replaces:
        return f"It starts when run {RunKey(run.job_id, run.replaces)}, which it replaces, has ended."
    if run.dispatched_at:
        sent = formats.relative(run.dispatched_at, now)
        return f"It was sent to queue {run.queue} {sent} and waits for a worker there."
    return f"It is due and will be sent to queue {run.queue} next."


def _running(run: JobRun, now: datetime) -> str:
    if run.locked_until is not None and run.locked_until <= now:
        return f"Its lease ran out {formats.relative(run.locked_until, now)}: the leader gives the run back."
    worker = f"{run.locked_by}"[:8]
    held = f"Worker {worker} holds it until {_at(run, run.locked_until, now)} and renews that while it runs."
    if run.cancel_requested_at is None:
        return held
    return f"It was asked to end {formats.relative(run.cancel_requested_at, now)}. {held}"


def _at(run: JobRun, moment: datetime | None, now: datetime) -> str:
    if moment is None:
        return "an unknown time"
    local = formats.local_time(moment, run.job.timezone)
    return f"{formats.wall(local.replace(microsecond=0))} {formats.offset(local)} ({formats.relative(moment, now)})"
