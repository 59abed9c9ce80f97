"""What becomes of one due job: pause, due slots, and where its cursor goes. Pure; the leader writes it down."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from jobs.domain.catch_up import CatchUpRules, GapRange, due_slots
from jobs.domain.planning import PlannedJob, next_look
from jobs.domain.policies import CatchUp
from jobs.domain.schedules import build
from jobs.domain.states import GapReason


@dataclass(frozen=True, slots=True)
class Emission:
    """A due job's slots that run, its gaps, and the new state of its cursor (None: keep). An error parks the job."""

    job: PlannedJob
    next_run_at: datetime | None
    slots: list[datetime] = field(default_factory=list)
    gaps: list[GapRange] = field(default_factory=list)
    last_slot: datetime | None = None
    plan_from: datetime | None = None
    error: str = ""


def emission(job: PlannedJob, *, accounted: datetime, now: datetime, grace: timedelta, floor: datetime) -> Emission:
    """Account for the job's slots in (accounted, now]; raises InvalidScheduleError.

    ``floor`` is the first instant within retention.
    """
    if job.is_idle() or (job.pause_end(accounted) or accounted) > now:
        return Emission(job, next_look(job, accounted))
    schedule = build(job.spec)
    pause_end = job.pause_end(accounted)
    paused = []
    if pause_end:
        slot = schedule.next(accounted)
        if slot and slot <= pause_end:
            paused = [GapRange(accounted, pause_end, GapReason.PAUSED)]
    due = due_slots(schedule, after=pause_end or accounted, now=now, rules=_rules(job, grace, floor))
    return Emission(job, due.next_slot, due.run, paused + due.gaps, due.last_slot, pause_end)


def _rules(job: PlannedJob, grace: timedelta, floor: datetime) -> CatchUpRules:
    deadline = None if job.deadline_seconds is None else timedelta(seconds=job.deadline_seconds)
    return CatchUpRules(CatchUp(job.catch_up), job.catch_up_limit, deadline, grace, floor)
