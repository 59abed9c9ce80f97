"""Give claimed runs back before their body started: no attempt is spent."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from jobs.domain.messages import RunKey
from jobs.domain.states import RunStatus
from jobs.store import leases
from jobs.store.leases import Lease


def hand_back(unstarted: Sequence[tuple[Lease, bool]], *, worker: UUID) -> dict[RunKey, RunStatus]:
    """Queue again what is still held; the flag of each says whether its claim counted an attempt.

    Only for runs that are certain not to have started, or whose start the fence makes harmless.
    """
    return leases.hand_back(unstarted, worker=worker) if unstarted else {}
