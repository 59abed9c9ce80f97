"""A run that this worker process holds: its lease, its message, and how far its attempt has come."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from jobs import clock
from jobs.domain.messages import HTTP_TASK
from jobs.domain.outcomes import Attempt
from jobs.domain.policies import ConcurrencyPolicy, Delivery
from jobs.store.http_targets import Target
from jobs.store.leases import Lease

if TYPE_CHECKING:
    from jobs.worker.clerk import Clerk


class Ending(StrEnum):
    """Why a body is being ended from outside."""

    CANCELLED = "cancelled"
    LEASE_LOST = "lease_lost"


@dataclass(eq=False, slots=True, weakref_slot=True)
class Hold:
    """One claimed run. Times are monotonic seconds.

    The clerk's thread writes ``lease_until`` and ``noted``; the event loop (or a pool's thread) the rest.
    """

    lease: Lease
    message: Any
    job: str
    attempt: Attempt
    counted: bool
    concurrency: ConcurrencyPolicy
    clerk: Clerk
    lease_until: float
    start_until: float | None = None
    target: Target | None = None  # of an HTTP run
    request: Any = None
    given: bool = False  # to the pool: from here on the body may start at any moment
    started: float | None = None
    noted: bool = False  # the start is written
    ending: Ending | None = None
    ending_since: float | None = None
    ended: bool = False  # its outcome is known, or nobody will run it
    in_doubt: bool = False  # its settlement was sent and no answer came
    forsaken: bool = False  # perhaps nobody will run it: not renewed, an outcome within the lease still counts

    @property
    def is_stray(self) -> bool:
        """Whether its message is a call's and its job makes none any more: there is nothing that it could start."""
        return self.target is None and self.message.headers.get("task") == HTTP_TASK

    @property
    def is_single(self) -> bool:
        """Whether a second body beside this one would break a promise: it must not outlive its lease."""
        return self.attempt.delivery is Delivery.AT_MOST_ONCE or self.concurrency is not ConcurrencyPolicy.ALLOW

    @property
    def is_too_late(self) -> bool:
        """Whether its start deadline passed while it waited for the pool."""
        return self.start_until is not None and clock.monotonic() > self.start_until

    @property
    def started_ago(self) -> float | None:
        return None if self.started is None else max(0.0, clock.monotonic() - self.started)
