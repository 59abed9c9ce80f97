"""In which state a job is and when it comes next, for people: list, page, command line and API say the same."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from jobs.domain.schedules import ScheduleSpec, build
from jobs.errors import InvalidScheduleError


class JobState(StrEnum):
    """Whether slots of a job are coming, and if not, why."""

    ACTIVE = "active"
    PAUSED = "paused"
    DISABLED = "disabled"
    PARKED = "parked"
    FINISHED = "finished"
    ARCHIVED = "archived"


class Definition(Protocol):
    """The part of a job that is looked at; a ``Job`` fits. The fields are a Django model's, hence ``Any``."""

    kind: Any
    enabled: Any
    paused: Any
    paused_until: Any
    pause_reason: Any
    archived_at: Any

    @property
    def spec(self) -> ScheduleSpec: ...


class Cursor(Protocol):
    """The part of a cursor that is looked at; a ``JobCursor`` fits."""

    next_run_at: Any
    last_slot: Any
    plan_from: Any
    plan_needed: Any
    error: Any


@dataclass(frozen=True, slots=True)
class Standing:
    """``note`` is the reason in words: why it is parked or paused, or how far."""

    state: JobState
    next_slot: datetime | None = None
    note: str = ""


def standing(job: Definition, cursor: Cursor, now: datetime) -> Standing:
    """Where the job stands at ``now``; a plan still to be made is computed as the leader will (I7)."""
    if job.archived_at is not None:
        return Standing(JobState.ARCHIVED)
    if not job.enabled:
        return Standing(JobState.DISABLED)
    if is_paused(job, now):
        return Standing(JobState.PAUSED, _slot_after(job, job.paused_until), job.pause_reason)
    if cursor.error:
        return Standing(JobState.PARKED, note=cursor.error)
    if job.kind == "manual":
        return Standing(JobState.ACTIVE)
    return _planned(job, cursor)


def is_paused(job: Definition, now: datetime) -> bool:
    """Whether a pause holds: one whose end has passed stands in the row until the next pause, and holds nothing."""
    return bool(job.paused and (job.paused_until is None or job.paused_until > now))


def _planned(job: Definition, cursor: Cursor) -> Standing:
    slot = cursor.next_run_at
    if cursor.plan_needed:
        try:
            slot = build(job.spec).next(max(filter(None, (cursor.plan_from, cursor.last_slot))))
        except InvalidScheduleError as error:
            return Standing(JobState.PARKED, note=str(error))
    return Standing(JobState.ACTIVE if slot else JobState.FINISHED, slot)


def _slot_after(job: Definition, pause_end: datetime | None) -> datetime | None:
    try:
        return pause_end and build(job.spec).next(pause_end)
    except InvalidScheduleError:
        return None
