"""What a new run of a job does to its unfinished ones, by the job's concurrency policy.

Whoever inserts or revives a run of such a job locks the job's cursor, reads the open runs in a second statement,
and only then asks here. ``allow`` never asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from jobs.domain.messages import RunKey
from jobs.domain.policies import ConcurrencyPolicy
from jobs.domain.states import RunStatus


class Unfinished(Protocol):
    """A queued or running run."""

    @property
    def key(self) -> RunKey: ...
    @property
    def status(self) -> RunStatus: ...


@dataclass(frozen=True, slots=True)
class Overlap:
    """``turned_away_by``: the run that forbids the new one. ``replaced``: the runs to stop in its favour."""

    turned_away_by: RunKey | None = None
    replaced: tuple[RunKey, ...] = ()


def decide(policy: ConcurrencyPolicy, open_runs: Sequence[Unfinished]) -> Overlap:
    """What a new run meets. ``open_runs`` are the job's unfinished ones, oldest slot first."""
    if not open_runs or policy is ConcurrencyPolicy.ALLOW:
        return Overlap()
    if policy is ConcurrencyPolicy.REPLACE:
        return Overlap(replaced=tuple(run.key for run in open_runs))
    running = [run.key for run in open_runs if run.status is RunStatus.RUNNING]
    return Overlap(turned_away_by=(running or [open_runs[0].key])[0])


def skipped_because(active: RunKey) -> str:
    """The note on a run that ``forbid`` turned away."""
    return f"Run {active} of this job was still queued or running (concurrency policy forbid)."


def replaced_because(newer: RunKey) -> str:
    """The note on a queued run that ``replace`` ended before it started."""
    return f"Replaced by run {newer} before it started (concurrency policy replace)."
