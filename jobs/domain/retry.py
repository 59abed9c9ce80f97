"""How long a run waits before its next attempt."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from jobs.domain.policies import Backoff, Jitter

_MOST_DOUBLINGS = 60


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """A job's back-off; ``base`` and ``cap`` in seconds."""

    kind: Backoff = Backoff.EXPONENTIAL
    base: float = 1.0
    cap: float = 600.0
    jitter: Jitter = Jitter.FULL


def longest_delay(policy: RetryPolicy, attempt: int) -> float:
    """Seconds that the wait after this attempt (from 1) cannot exceed: min(cap, base * 2^(attempt - 1))."""
    doublings = min(attempt - 1, _MOST_DOUBLINGS) if policy.kind == Backoff.EXPONENTIAL else 0
    return min(policy.cap, policy.base * 2.0 ** max(0, doublings))


def delay(policy: RetryPolicy, attempt: int, draw: Callable[[], float] = random.random) -> float:
    """Seconds to wait after this attempt. Full jitter draws evenly from zero to the longest, so that runs that
    failed together do not come back together (AWS Architecture Blog, "Exponential Backoff and Jitter").
    """
    longest = longest_delay(policy, attempt)
    return longest * draw() if policy.jitter == Jitter.FULL else longest
