"""End attempts under their leases (I4)."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from jobs.domain.messages import RunKey
from jobs.domain.states import RunStatus, is_allowed
from jobs.store import leases
from jobs.store.leases import Settlement


def settle(settlements: Sequence[Settlement], *, worker: UUID) -> dict[RunKey, RunStatus]:
    """End attempts; the new status of each run. One that is missing was lost: nothing was written for it.

    All or nothing: DataError when one row holds what the database cannot store.
    """
    for item in settlements:
        if not is_allowed(RunStatus.RUNNING, item.verdict.status):
            raise ValueError(f"A running run cannot become {item.verdict.status}.")
    return leases.settle(settlements, worker=worker) if settlements else {}


def settled(settlements: Sequence[Settlement]) -> dict[RunKey, RunStatus]:
    """Which of these, tried before, were written although the answer was lost; nothing is written now."""
    return leases.settled(settlements) if settlements else {}
