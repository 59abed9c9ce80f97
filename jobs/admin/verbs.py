"""What the buttons do: one service each, and a sentence about what it did."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from jobs.models import Job, JobRun
from jobs.services.archive import archive
from jobs.services.cancel import cancel
from jobs.services.enable import enable
from jobs.services.pause import pause
from jobs.services.replay import replay
from jobs.services.resume import resume
from jobs.services.run import run_job

Verb = Callable[[Job], str]


def run_now(job: Job, *, force: bool = False) -> str:
    """Queue a run by hand."""
    return f"Run {run_job(job, force=force)} is queued."


def enable_job(job: Job) -> str:
    """Let a disabled job fire again."""
    enable(job)
    return f"{job} is enabled and fires from now on."


def pause_job(job: Job, *, until: datetime | None = None, reason: str = "") -> str:
    """Hold its slots back."""
    pause(job, until=until, reason=reason)
    return f"{job} is paused until {f'{until:%Y-%m-%d %H:%M:%S} UTC' if until else 'it is resumed'}."


def resume_job(job: Job) -> str:
    """End its pause; what came meanwhile stays a gap."""
    resume(job)
    return f"{job} fires again from now on."


def archive_job(job: Job) -> str:
    """End it for good."""
    return f"{job} is archived. Queued runs cancelled: {archive(job)}."


def replay_run(run: JobRun, *, who: str) -> str:
    """Queue a dead run again; among its errors it is noted by whom."""
    replay(run.key, who=who)
    return f"Run {run.key} is queued again."


def cancel_run(run: JobRun, **_: str) -> str:
    """Cancel a queued run, ask a running one to end."""
    return f"Run {run.key} is {'asked to end' if cancel(run.key) == 'running' else 'cancelled'}."
