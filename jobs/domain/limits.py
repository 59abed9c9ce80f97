"""Numbers of a definition and what they may be; words of its closed sets."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from jobs.domain.policies import Backoff, CatchUp, ConcurrencyPolicy, Delivery, Jitter

_DAY = 86_400
LONGEST_BACKOFF_SECONDS = 30 * _DAY
LONGEST_CALL_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Range:
    """Whole numbers from ``low`` to ``high``; None too where the field may be empty."""

    low: int
    high: int
    hint: str
    may_be_empty: bool = False

    def fault(self, field: str, value: object) -> str:
        """Why ``value`` is refused, or empty."""
        if value is None and self.may_be_empty:
            return ""
        if isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high:
            return ""
        is_number = isinstance(value, int) and not isinstance(value, bool)
        what = f"{value:,} is outside" if is_number else f"{value!r} is not a whole number in"
        return f"{field} {what} {self.low:,} to {self.high:,}. {self.hint}"


RANGES = {
    "catch_up_limit": Range(1, 10_000, "To run no missed slot, choose catch_up skip."),
    "priority": Range(0, 9, "Higher goes first."),
    "max_attempts": Range(1, 1000, "1 means no retry."),
    "starting_deadline_seconds": Range(1, 366 * _DAY, "Empty means no deadline.", may_be_empty=True),
    "spread_seconds": Range(0, _DAY, "0 starts every run at its slot."),
    "timeout_seconds": Range(
        1, 30 * _DAY, "Empty means the task's own, else 1,800; of an HTTP job the endpoint's.", may_be_empty=True
    ),
    "soft_timeout_seconds": Range(1, 30 * _DAY, "Empty means the task's own, else none.", may_be_empty=True),
}
WORDS: dict[str, type[StrEnum]] = {
    "concurrency_policy": ConcurrencyPolicy,
    "catch_up": CatchUp,
    "backoff_kind": Backoff,
    "jitter": Jitter,
    "delivery": Delivery,
}


def limit_faults(job: Any) -> Iterator[tuple[str, str]]:
    """Faults of a job's numbers and words, by field."""
    for field, allowed in RANGES.items():
        if problem := allowed.fault(field, getattr(job, field)):
            yield field, problem
    for field, kind in WORDS.items():
        if (word := getattr(job, field)) not in list(kind):
            yield field, f'{field} "{word}" is unknown; allowed are {", ".join(kind)}.'
    yield from _timeout_faults(job.timeout_seconds, job.soft_timeout_seconds)
    yield from _backoff_faults(job.backoff_base_seconds, job.backoff_cap_seconds)


def _timeout_faults(hard: object, soft: object) -> Iterator[tuple[str, str]]:
    if isinstance(hard, int) and isinstance(soft, int) and soft >= hard:
        yield (
            "soft_timeout_seconds",
            f"The soft limit ({soft} s) must be below the hard one ({hard} s), or it never comes. Lower it.",
        )


def _backoff_faults(base: object, cap: object) -> Iterator[tuple[str, str]]:
    if not (isinstance(base, (int, float)) and isinstance(cap, (int, float))):
        return  # the model's own fields have refused it
    if not (math.isfinite(base) and 0 <= base <= LONGEST_BACKOFF_SECONDS):
        yield "backoff_base_seconds", f"{base:g} s is outside 0 to {LONGEST_BACKOFF_SECONDS:,} s (30 days)."
    elif not base <= cap <= LONGEST_BACKOFF_SECONDS:
        yield (
            "backoff_cap_seconds",
            f"{cap:g} s is outside {base:g} (the base) to {LONGEST_BACKOFF_SECONDS:,} s (30 days). "
            "Raise the cap or lower the base.",
        )
