"""Replay dead runs: the same keys, attempts allowed anew. One, some, or all of a group at a rate.

The waits of a rate are ``run_after`` in the database, so whoever replays may go away.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from jobs import log
from jobs.domain.messages import RunKey
from jobs.domain.states import RunStatus
from jobs.errors import CallerError, ConflictError, InvalidFieldError
from jobs.models import Job
from jobs.services.cancel import status_of
from jobs.services.revive import Pace, Revived, revive
from jobs.store import dead
from jobs.store.clock import database_now
from jobs.store.dead import DeadKey, Window

MOST = 10_000
LEAST_RATE, MOST_RATE = 0.01, 1_000.0
_BATCH = 500


@dataclass(slots=True)
class ReplayReport:
    """``refused`` says why, of a group once a job; those stay dead. ``left``: dead in the group, 10,001 at most."""

    replayed: int = 0
    refused: list[str] = field(default_factory=list)
    left: int = 0


def replay(key: RunKey, *, who: str = "") -> None:
    """Queue a dead run again. A job that runs one at a time must have no other queued or running run."""
    if (status := status_of(key)) is not RunStatus.DEAD:
        raise ConflictError(_not_dead(key, status))
    revived = revive([DeadKey(key)], pace=Pace(), who=who)
    if key in revived.refused:
        raise ConflictError(revived.refused[key])
    if key not in revived.replayed:  # someone was quicker
        raise ConflictError(_not_dead(key, status_of(key)))
    log.event("run.replayed", run=key, job=revived.jobs[key.job_id].name, by=who or None)


def replay_selected(keys: Iterable[RunKey], *, rate: float | None = None, who: str = "") -> ReplayReport:
    """Queue these runs again, 10,000 at most; each that cannot be is refused by itself."""
    wanted = [DeadKey(key) for key in dict.fromkeys(keys)]
    _check(rate, len(wanted) or 1)
    report, pace = ReplayReport(), Pace(rate)
    for start in range(0, len(wanted), _BATCH):
        batch = wanted[start : start + _BATCH]
        revived = revive(batch, pace=pace, who=who)
        report.replayed += len(revived.replayed)
        report.refused += (_why_not(key, revived) for key, _ in batch if key not in revived.replayed)
    log.event("runs.replayed", runs=report.replayed, refused=len(report.refused), rate=rate, by=who or None)
    return report


def replay_group(
    group: str,
    *,
    rate: float | None = None,
    limit: int = MOST,
    job: Job | None = None,
    since: datetime | None = None,
    who: str = "",
) -> ReplayReport:
    """Queue the dead runs of a group again, oldest slot first: ``limit`` at most, at most ``rate`` a second due.

    Looks at slots from the beginning of the day of ``since`` on (seven days ago). A job that refuses one of its runs
    is asked for no other.
    """
    _check(rate, limit)
    now = database_now()
    window = Window.from_day_of(since or now - timedelta(days=dead.DEFAULT_DAYS), now=now)
    job_id = job.pk if job else None
    report = _replay_in_batches(group, window, Pace(rate), limit=limit, job_id=job_id, who=who)
    report.left = dead.count_dead(group, window, job_id=job_id)
    log.event(
        "runs.replayed", group=group, runs=report.replayed, refused=len(report.refused), rate=rate, by=who or None
    )
    return report


def _replay_in_batches(
    group: str, window: Window, pace: Pace, *, limit: int, job_id: int | None, who: str
) -> ReplayReport:
    report, last = ReplayReport(), None
    refusing: dict[int, str] = {}
    while (wanted := min(_BATCH, limit - report.replayed)) > 0:
        batch = dead.dead_keys(group, window, limit=wanted, after=last, job_id=job_id, but=list(refusing))
        if not batch:
            break
        revived = revive(batch, pace=pace, who=who)
        report.replayed += len(revived.replayed)
        for key, reason in revived.refused.items():
            refusing.setdefault(key.job_id, reason)
        last = batch[-1].key
    report.refused = list(refusing.values())
    return report


def _check(rate: float | None, limit: int) -> None:
    if rate is not None and not (math.isfinite(rate) and LEAST_RATE <= rate <= MOST_RATE):
        raise InvalidFieldError(
            "rate",
            f"A rate of {rate:g} runs a second is not from {LEAST_RATE:g} to {MOST_RATE:,g}. Choose one that is.",
        )
    if not 1 <= limit <= MOST:
        raise InvalidFieldError(
            "limit", f"{limit:,} runs are not from 1 to {MOST:,}. Replay the rest with the next call."
        )


def _why_not(key: RunKey, revived: Revived) -> str:
    try:
        status = status_of(key)
    except CallerError as error:
        return str(error)
    return revived.refused[key] if status is RunStatus.DEAD and key in revived.refused else _not_dead(key, status)


def _not_dead(key: RunKey, status: RunStatus) -> str:
    return f"Run {key} is {status}; only a dead run can be replayed."
