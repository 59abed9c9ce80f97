"""What becomes of one due job: pause, due slots, and where its cursor goes. Pure; the leader writes it down."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from jobs.domain.catch_up import CatchUpRules, DueSlots, GapRange, due_slots
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


class Accounting:
    """Accounts for the slots of due jobs up to one moment.

    At the top of an hour thousands of jobs have one schedule, one policy and one last slot: those are computed once.
    """

    def __init__(self, *, now: datetime, grace: timedelta, floor: datetime) -> None:
        """``floor`` is the first instant within retention."""
        self._now = now
        self._grace = grace
        self._floor = floor
        self._known: dict[tuple[object, ...], DueSlots] = {}

    def emission(self, job: PlannedJob, accounted: datetime) -> Emission:
        """What becomes of the job's slots in (accounted, now]; raises InvalidScheduleError."""
        pause_end = job.pause_end(accounted)
        if job.is_idle() or (pause_end or accounted) > self._now:
            return Emission(job, next_look(job, accounted))
        due = self._due_slots(job, pause_end or accounted)
        gaps = [*_paused(job, accounted, pause_end), *due.gaps] if pause_end else due.gaps
        return Emission(job, due.next_slot, due.run, gaps, due.last_slot, pause_end)

    def _due_slots(self, job: PlannedJob, after: datetime) -> DueSlots:
        known_by = (job.spec, after, job.catch_up, job.catch_up_limit, job.deadline_seconds)
        known = self._known.get(known_by)
        if known is None:
            known = due_slots(build(job.spec), after=after, now=self._now, rules=self._rules(job))
            self._known[known_by] = known
        return known

    def _rules(self, job: PlannedJob) -> CatchUpRules:
        deadline = None if job.deadline_seconds is None else timedelta(seconds=job.deadline_seconds)
        return CatchUpRules(CatchUp(job.catch_up), job.catch_up_limit, deadline, self._grace, self._floor)


def _paused(job: PlannedJob, accounted: datetime, pause_end: datetime) -> list[GapRange]:
    slot = build(job.spec).next(accounted)
    return [GapRange(accounted, pause_end, GapReason.PAUSED)] if slot and slot <= pause_end else []
