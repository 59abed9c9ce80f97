"""What became of all runs, read after the soak: late, lost, started twice and why, and how soon each fault was over."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from jobs.domain.messages import RunKey
from tests.crash.harness import ledger
from tests.crash.harness.live import Live
from tests.crash.harness.load import asked_keys
from tests.crash.harness.window import Window
from tests.crash.soak.ground import Fault
from tests.support.stack import Line

_RUNS = """
    SELECT job_id, scheduled_for, extract(epoch FROM due_at)::float8, queue FROM jobs_jobrun
    WHERE due_at > %s AND due_at <= %s
"""
_GAPS = (
    "SELECT reason, sum(count)::int FROM jobs_slotgap WHERE until > %s AND after < %s GROUP BY reason ORDER BY reason"
)
_AFTERWARDS = 15.0  # seconds after a fault whose slots are still its own


class Run(NamedTuple):
    """One run as its bodies told it; ``starts`` are sorted."""

    key: str
    due: float
    queue: str
    starts: list[float]
    ends: int

    @property
    def late(self) -> float:
        return self.starts[0] - self.due


@dataclass(frozen=True, slots=True)
class Account:
    """All runs that were due in a window, sorted by that; slots that are nowhere; gaps by their reason."""

    runs: Sequence[Run]
    nowhere: Sequence[str]
    gaps: Mapping[str, int | None]

    @property
    def lost(self) -> list[str]:
        """Slots and promises without a run, and runs without an effect."""
        return [*self.nowhere, *(run.key for run in self.runs if not run.ends)]

    def late(self) -> list[float]:
        """Seconds from due to the first start, sorted."""
        return sorted(run.late for run in self.runs if run.starts)


class Repeats(NamedTuple):
    """Starts after the first: how many each fault explains, and those that none does."""

    by_fault: Counter[int]
    unexplained: list[str]


def read(live: Live, window: Window) -> Account:
    """The account of a window, as things stand now."""
    starts, ends = defaultdict[str, list[float]](list), Counter[str]()
    for line in live.lines():
        _note(line, starts, ends)
    rows = [(str(RunKey(job, slot)), due, queue) for job, slot, due, queue in live.sql(_RUNS, *window)]
    runs = [Run(key, due, queue, sorted(starts[key]), ends[key]) for key, due, queue in rows]
    known = {str(RunKey(*row)) for row in live.sql("SELECT job_id, scheduled_for FROM jobs_jobrun")}
    missing = [str(key) for key in ledger.read(live, window).missing]
    gaps = dict(live.sql(_GAPS, *window))
    return Account(sorted(runs, key=lambda run: run.due), [*missing, *sorted(asked_keys(live) - known)], gaps)


def repeats(runs: Iterable[Run], faults: Sequence[Fault]) -> Repeats:
    """Each start after the first needs a fault before it that held the run; one fault explains one start."""
    told = Repeats(Counter(), [])
    for run in runs:
        held = [number for number, fault in enumerate(faults) if run.key in fault.held]
        for start in run.starts[1:]:
            if reasons := [number for number in held if faults[number].at < start]:
                held.remove(reasons[0])
                told.by_fault[reasons[0]] += 1
            else:
                told.unexplained.append(run.key)
    return told


def recovery(runs: Sequence[Run], fault: Fault) -> float | None:
    """Seconds from a fault until the last run that it held started again; if none did, until a slot due after it had
    started, on the slower queue."""
    again = max((_first_after(run, fault.at) for run in runs if run.key in fault.held), default=0.0)
    return again - fault.at if again else _next_slots(runs, fault)


def worst_late(runs: Sequence[Run], fault: Fault) -> float:
    """The latest start of the slots that were due during a fault and shortly after."""
    begin, end = (bisect_left(runs, at, key=lambda run: run.due) for at in (fault.at, fault.until + _AFTERWARDS))
    return max((run.late for run in runs[begin:end] if run.starts), default=0.0)


def _note(line: Line, starts: dict[str, list[float]], ends: Counter[str]) -> None:
    if line.word == "started":
        starts[line.key].append(line.at)
    elif line.word == "ended":
        ends[line.key] += 1


def _first_after(run: Run, at: float) -> float:
    return next((start for start in run.starts[1:] if start > at), 0.0)


def _next_slots(runs: Sequence[Run], fault: Fault) -> float | None:
    first: dict[str, float] = {}
    for run in runs[bisect_left(runs, fault.at, key=lambda run: run.due) :]:
        if run.starts:
            first[run.queue] = min(first.get(run.queue, run.starts[0]), run.starts[0])
    return max(first.values()) - fault.at if first else None
