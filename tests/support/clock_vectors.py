"""The clock vectors of ``tests/cases``, and a leader that lives through one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from jobs.services.emit import emit_due
from jobs.store import partitions
from jobs.store.terms import Term
from tests.support.leading import job_at, plan, slots
from tests.support.times import DAY, HOUR, SECOND

FILE = Path(__file__).parents[1] / "cases" / "clock.tsv"
EVEN_TICKS = 10


@dataclass(frozen=True)
class Vector:
    """A cron text in a zone, and its slots in [start, end)."""

    cron: str
    timezone: str
    start: datetime
    end: datetime
    slots: list[datetime]


@cache
def vectors() -> dict[str, Vector]:
    """All vectors by their name."""
    found = {}
    for line in FILE.read_text().splitlines():
        name, cron, zone, start, end, runs = line.split("\t")
        listed = [] if runs == "(none)" else [_at(run) for run in runs.split()]
        found[name] = Vector(cron, zone, _at(start), _at(end), listed)
    return found


def live_through(term: Term, vector: Vector) -> list[datetime]:
    """Save a job of the vector's text at its start, and lead until its end; returns the slots of the job's runs.

    Each tick must have emitted what was due by then, and nothing that was not.
    """
    make_season(vector.start, vector.end)
    job = job_at(vector.start - SECOND, cron=vector.cron, timezone=vector.timezone, catch_up="all")
    for now in sorted(_ticks(vector)):
        tick(term, now)
        assert slots(job) == [slot for slot in vector.slots if slot <= now], now
    return slots(job)


def tick(term: Term, now: datetime) -> None:
    """Plan and emit at ``now``, in a season that is made: without looking for partitions, which would take longest."""
    plan(term)
    while emit_due(term, now=now).cursors:
        pass


def make_season(first: datetime, last: datetime) -> None:
    """The partitions for which ticks within these bounds would look, a month each: cheaper than a day each."""
    partitions.ensure((first - 31 * DAY).date(), (last + 15 * DAY).date(), wide=True)


def _ticks(vector: Vector) -> set[datetime]:
    """Ticks spread evenly, and those around each slot: a second early, at it, and where an hour's error would lie."""
    span = (vector.end - SECOND - vector.start) / EVEN_TICKS
    ticks = {vector.start + span * step for step in range(EVEN_TICKS + 1)}
    return ticks | {tick for slot in vector.slots for tick in _around(slot) if vector.start <= tick < vector.end}


def _around(slot: datetime) -> Iterator[datetime]:
    yield from (slot - HOUR, slot - SECOND, slot, slot + HOUR)


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
