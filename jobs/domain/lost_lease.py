"""What becomes of a run whose lease ran out before an outcome came."""

from __future__ import annotations

from dataclasses import dataclass

from jobs.domain.policies import Delivery
from jobs.domain.states import RunStatus

LONGEST_WAIT = 60.0
_MOST_DOUBLINGS = 6


@dataclass(frozen=True, slots=True)
class Fate:
    """The run's next status, for ``queued`` the wait in seconds, and the note in its history."""

    status: RunStatus
    note: str
    delay: float = 0.0


def fate(
    *, is_cancelled: bool, delivery: str | None, attempts: int, max_attempts: int, losses: int, is_noted: bool
) -> Fate:
    """Queue the run again after 1, 2, 4 … 60 s, unless it was asked to cancel, must not start twice, or is used up.

    ``attempts`` counts the bodies that started, ``losses`` the leases lost before this one. ``is_noted``: this
    attempt is among those counted; else it had not begun, or its worker was lost within a heartbeat of its start.
    """
    lost = "The lease ran out: the worker was lost, or could not reach the database."
    if not is_noted:
        lost += f" No start of attempt {attempts + 1} had been noted, so it is not counted; it may have begun."
    if is_cancelled:
        return Fate(RunStatus.CANCELLED, f"{lost} A cancel had been asked for.")
    if delivery == Delivery.AT_MOST_ONCE:
        return Fate(RunStatus.DEAD, f"lost: {lost} Delivery is at most once, so it is not started again.")
    if attempts >= max_attempts:
        return Fate(RunStatus.DEAD, f"lost: {lost} It was attempt {attempts} of {max_attempts}.")
    return Fate(RunStatus.QUEUED, lost, min(2.0 ** min(losses, _MOST_DOUBLINGS), LONGEST_WAIT))
