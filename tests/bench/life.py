"""Runs led through their life by the product's own services, a batch at a time: what each step costs.

Emit, select (the read before publishing), mark, claim, settle. The broker is left out: here it would only be noise.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, TypeVar

from tests.bench.figures import percentile
from tests.bench.past import QUEUE, execute

if TYPE_CHECKING:
    from jobs.services.dispatch import Outgoing

T = TypeVar("T")
STEPS = ("emit", "select", "mark", "claim", "settle")
# Slots begin here and go on by a minute each time that all jobs have had the one before.
_FIRST_SLOT = timedelta(hours=20)
_MOST_SLOTS = 1_200
_DUE = """
UPDATE jobs_cursor SET next_run_at = %(slot)s, plan_from = %(slot)s::timestamptz - interval '1 second'
WHERE job_id = ANY(%(jobs)s)
"""
_NOT_DUE = "UPDATE jobs_cursor SET next_run_at = statement_timestamp() + interval '1 year' WHERE job_id = ANY(%(jobs)s)"


@dataclass(frozen=True, slots=True)
class Cost:
    """What a batch cost: seconds by step, and bytes of WAL (of the whole server: others' too)."""

    runs: int
    seconds: dict[str, float]
    wal: int

    @property
    def micros_a_run(self) -> float:
        return 1e6 * sum(self.seconds.values()) / self.runs

    @property
    def wal_a_run(self) -> float:
        return self.wal / self.runs


class Life:
    """Leads shard 0 and stands in for the one worker. ``jobs``: how many, from the id ``first_job`` on."""

    def __init__(self, *, first_job: int, jobs: int) -> None:
        from jobs.services.lead import take_term  # Django is set up by now
        from jobs.store.clock import database_now

        term = take_term(0, holder=uuid.uuid4())
        assert term is not None
        self._term = term
        self._worker = uuid.uuid4()
        self._first_job, self._jobs = first_job, jobs
        self._first_slot = (database_now() - _FIRST_SLOT).replace(second=0, microsecond=0)
        self._slot, self._place = 0, 0

    def grow(self, jobs: int) -> None:
        """There are more jobs by now."""
        self._jobs, self._place, self._slot = jobs, 0, self._slot + 1

    def batch(self, size: int) -> Cost:
        """The runs of one slot of so many jobs, from due to succeeded."""
        slot, jobs = self._next(size)
        execute(_DUE, slot=slot, jobs=jobs)
        seconds: dict[str, float] = {}
        before = wal_position()
        _timed(seconds, "emit", lambda: self._emit(slot, size))
        runs = _timed(seconds, "select", lambda: self._select(size))
        _timed(seconds, "mark", lambda: _mark(runs))
        claimed = _timed(seconds, "claim", lambda: self._claim(runs))
        _timed(seconds, "settle", lambda: self._settle(claimed))
        wal = wal_position() - before
        execute(_NOT_DUE, jobs=jobs)
        return Cost(size, seconds, wal)

    def _next(self, size: int) -> tuple[datetime, list[int]]:
        """A slot, and jobs that have not had it yet, from all over the table."""
        if self._place + size > self._jobs:
            self._place, self._slot = 0, self._slot + 1
        assert self._slot < _MOST_SLOTS, "the slots of a day are used up"
        places = range(self._place, self._place + size)
        self._place += size
        slot = self._first_slot + timedelta(minutes=self._slot)
        return slot, [self._first_job + place * 7919 % self._jobs for place in places]

    def _emit(self, slot: datetime, size: int) -> None:
        from jobs.services.emit import emit_due

        emitted = emit_due(self._term, now=slot + timedelta(seconds=1), batch=size)
        assert emitted.runs == size, f"{emitted.runs} runs of {size} jobs"

    def _select(self, size: int) -> list[Outgoing]:
        from jobs.services.dispatch import select_unsent
        from jobs.store.clock import database_now
        from jobs.store.unsent import Horizon

        runs = select_unsent(QUEUE, limit=size, horizon=Horizon.hot(database_now()))
        assert len(runs) == size, f"{len(runs)} runs to send"
        return runs

    def _claim(self, runs: Sequence[Outgoing]) -> list[tuple[object, int]]:
        from jobs.services.claim import claim
        from jobs.store.leases import Published

        judged = claim([Published(run.key, run.token) for run in runs], worker=self._worker)
        won = [(item.published.key, item.token) for item in judged.values() if item.is_won]
        assert len(won) == len(runs), f"{len(won)} of {len(runs)} claimed"
        return won

    def _settle(self, claimed: Sequence[tuple[object, int]]) -> None:
        from jobs.domain.outcomes import Verdict
        from jobs.domain.states import RunStatus
        from jobs.services.settle import settle
        from jobs.store.leases import Lease, Settlement

        done = Verdict(RunStatus.SUCCEEDED)
        ended = [
            Settlement(Lease(key, token, self._worker), done, attempt=1, started_ago=0.01, result="null")
            for key, token in claimed
        ]
        assert len(settle(ended, worker=self._worker)) == len(claimed)


def typical(costs: Sequence[Cost]) -> tuple[float, float]:
    """Microseconds and bytes of WAL a run."""
    return _quarter([cost.micros_a_run for cost in costs]), _quarter([cost.wal_a_run for cost in costs])


def step_millis(costs: Sequence[Cost], step: str) -> float:
    """A step's milliseconds a batch."""
    return _quarter([1000 * cost.seconds[step] for cost in costs])


def _quarter(values: list[float]) -> float:
    """The lower quartile: what else the machine does only adds."""
    return percentile(values, 0.25)


def wal_position() -> int:
    """Bytes of WAL that the server has written since it was made."""
    return int(execute("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')")[0][0])


def _mark(runs: Sequence[Outgoing]) -> None:
    from jobs.services.dispatch import mark

    assert mark(runs).runs == len(runs)


def _timed(seconds: dict[str, float], step: str, work: Callable[[], T]) -> T:
    began = time.perf_counter()
    made = work()
    seconds[step] = time.perf_counter() - began
    return made
