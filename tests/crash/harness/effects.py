"""Check 2: each run ended, its body's effect is there once, and no body started more often than it may."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from jobs.domain.messages import RunKey
from jobs.domain.states import RunStatus
from tests.crash.harness.live import Live
from tests.crash.harness.load import asked_keys
from tests.crash.harness.window import Window

_RUNS = """
    SELECT job_id, scheduled_for, due_at, run.status FROM jobs_jobrun AS run JOIN jobs_job AS job ON job.id = job_id
    WHERE task = 'tests.support.bodies.body'
"""


@dataclass(frozen=True, slots=True)
class Allowance:
    """How a run may end, how often a body may start, and which runs may start more often: a fault held them."""

    ends: Collection[str] = (RunStatus.SUCCEEDED,)
    starts: int = 1
    excused: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class _Run:
    due_at: datetime
    status: str
    starts: int
    effects: int


def faults(live: Live, window: Window, allowance: Allowance) -> Iterator[tuple[str, str]]:
    """Run keys, each with what is wrong."""
    runs = _runs(live)
    for key, run in runs.items():
        if window.holds(run.due_at):
            yield from ((key, fault) for fault in _faults_of(key, run, allowance))
    yield from ((key, "was promised, and there is no such run") for key in asked_keys(live) - set(runs))
    yield from ((key, "started, and there is no such run") for key in {line.key for line in live.lines()} - set(runs))


def _faults_of(key: str, run: _Run, allowance: Allowance) -> Iterator[str]:
    is_excused = key in allowance.excused
    if run.status not in allowance.ends:
        yield f"is {run.status}"
    if run.starts > allowance.starts and not is_excused:
        yield f"started {run.starts} times"
    if run.status == RunStatus.SUCCEEDED and run.effects == 0:
        yield "succeeded without its effect"
    if run.effects > 1 and not is_excused:
        yield f"has its effect {run.effects} times"


def _runs(live: Live) -> dict[str, _Run]:
    """The rows first: a line without a row is then one that has none, not one that is newer."""
    lines = live.lines()
    starts = Counter(line.key for line in lines if line.word == "started")
    effects = Counter(line.key for line in lines if line.word == "ended")
    found = {}
    for job_id, slot, due_at, status in live.sql(_RUNS):
        key = str(RunKey(job_id, slot))
        found[key] = _Run(due_at, status, starts[key], effects[key])
    return found
