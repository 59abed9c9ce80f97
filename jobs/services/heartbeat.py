"""Renew a worker's leases in one statement, and learn there who lost them and who is to be cancelled."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from jobs.conf import config
from jobs.domain.messages import RunKey
from jobs.store import leases
from jobs.store.leases import Beat


def heartbeat(beats: Sequence[Beat], *, worker: UUID) -> dict[RunKey, bool]:
    """Renew for one lease; for each one still held, whether a cancel was asked for. What is missing was lost."""
    return leases.renew(beats, worker=worker, lease_seconds=config().lease) if beats else {}
