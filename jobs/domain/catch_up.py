"""Which due slots run and which become gaps: retention first, then the deadline, then the catch-up policy.

The slots in (after, now] lie in four stretches, oldest first:

    after ── beyond retention ── past the deadline ── missed: the policy decides ── within the grace: all run ── now

The cost follows the slots that run and a few steps a stretch, never the length of the outage: gaps are counted later.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import assert_never

from jobs.domain.policies import CatchUp
from jobs.domain.schedules import Schedule
from jobs.domain.states import GapReason

SKIP_WINDOW = timedelta(seconds=60)
# The most slots of one job in one round under ``skip``; the rest is due at once in the next round.
MOST_SLOTS = 10_000
_SECOND = timedelta(seconds=1)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class CatchUpRules:
    """A job's policies on late slots. ``floor`` is the first instant within retention."""

    policy: CatchUp
    limit: int
    deadline: timedelta | None
    grace: timedelta
    floor: datetime


@dataclass(frozen=True, slots=True)
class GapRange:
    """Slots in (after, until] that do not run; at least one."""

    after: datetime
    until: datetime
    reason: GapReason


@dataclass(frozen=True, slots=True)
class DueSlots:
    """What becomes of a job's due slots. ``next_slot`` may be due already: then the round was full."""

    run: list[datetime]
    gaps: list[GapRange]
    last_slot: datetime | None
    next_slot: datetime | None


def due_slots(schedule: Schedule, *, after: datetime, now: datetime, rules: CatchUpRules) -> DueSlots:
    """Account for the slots in (after, now]."""
    slot = schedule.next(after)
    if slot is None or slot > now:
        return DueSlots([], [], None, slot)
    run: list[datetime] = []
    gaps: list[GapRange] = []
    old_until = _old_until(now, rules)
    if slot <= old_until:
        run, gaps, accounted = _old_slots(schedule, after, old_until, now, rules)
        slot = schedule.next(accounted)
        if accounted < old_until:
            return DueSlots(run, gaps, accounted, slot)
    while slot is not None and slot <= now:
        run.append(slot)
        slot = schedule.next(slot)
    newest = run[-1] if run and not _is_newer(gaps, run[-1]) else schedule.previous(now + _MICROSECOND)
    return DueSlots(run, gaps, newest, slot)


def _is_newer(gaps: list[GapRange], slot: datetime) -> bool:
    return bool(gaps) and gaps[-1].until > slot


def _old_until(now: datetime, rules: CatchUpRules) -> datetime:
    """The last second whose slot does not simply run."""
    age = rules.grace if rules.deadline is None else min(rules.grace, rules.deadline)
    return _second_before(max(now - age, rules.floor))


def _old_slots(
    schedule: Schedule, after: datetime, until: datetime, now: datetime, rules: CatchUpRules
) -> tuple[list[datetime], list[GapRange], datetime]:
    """What runs of the slots in (after, until], the gaps, and how far that accounts."""
    cuts = [(_second_before(rules.floor), GapReason.BEYOND_RETENTION)]
    if rules.deadline is not None:
        cuts.append((_second_before(now - rules.deadline), GapReason.DEADLINE))
    gaps = []
    for cut, reason in cuts:
        if cut > after:
            gaps.append(GapRange(after, cut, reason))
            after = cut
    run: list[datetime] = []
    if after < until:
        run, turned_away, until = _missed_slots(schedule, after, until, now, rules)
        gaps += turned_away
    return run, [gap for gap in gaps if _holds_a_slot(schedule, gap)], until


def _missed_slots(
    schedule: Schedule, after: datetime, until: datetime, now: datetime, rules: CatchUpRules
) -> tuple[list[datetime], list[GapRange], datetime]:
    match rules.policy:
        case CatchUp.LATEST:
            run = schedule.latest(after, until, 1)
            older = [GapRange(after, run[0] - _SECOND, GapReason.CATCH_UP)] if run else []
            return run, older, until
        case CatchUp.ALL:
            run = schedule.between(after, until, rules.limit)
            newer = [GapRange(run[-1], until, GapReason.CATCH_UP)] if len(run) == rules.limit else []
            return run, newer, until
        case CatchUp.SKIP:
            kept_from = after if rules.deadline is not None else max(after, _second_before(now - SKIP_WINDOW))
            run = schedule.between(kept_from, until, MOST_SLOTS)
            older = [GapRange(after, kept_from, GapReason.CATCH_UP)]
            return run, older, run[-1] if len(run) == MOST_SLOTS else until
        case _:
            assert_never(rules.policy)


def _holds_a_slot(schedule: Schedule, gap: GapRange) -> bool:
    slot = schedule.next(gap.after)
    return slot is not None and slot <= gap.until


def _second_before(instant: datetime) -> datetime:
    """The last whole second strictly before ``instant``."""
    return (instant - _MICROSECOND).replace(microsecond=0)
