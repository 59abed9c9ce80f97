"""Send a request again when that is safe and may help.

Safe: the server has surely done nothing (it was not reached, or answered 429), or a second sending has no second
effect (it only reads, or carries an idempotency key). Bounded in number and in time.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from jobs import clock
from jobs.client.errors import (
    ApiError,
    ConnectionFailedError,
    InProgressError,
    InvalidInputError,
    RateLimitedError,
    UnavailableError,
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often, and for how long.

    Before the n-th repetition it waits a random part of ``base_seconds * 2**n``, at most ``cap_seconds``, and no less
    than the server's Retry-After. No repetition begins later than ``total_seconds`` after the first sending.
    ``tries=1`` repeats nothing.
    """

    tries: int = 5
    total_seconds: float = 60.0
    base_seconds: float = 0.5
    cap_seconds: float = 8.0

    def __post_init__(self) -> None:
        if self.tries < 1 or not all(x >= 0 for x in (self.total_seconds, self.base_seconds, self.cap_seconds)):
            raise InvalidInputError(f"{self} cannot work: tries is 1 or more, seconds are 0 or more.")

    def pause_seconds(self, repetition: int, *, retry_after: float | None, part: float) -> float:
        """How long to wait before a repetition, counted from 1; ``part`` is from 0 to 1."""
        longest = min(self.cap_seconds, self.base_seconds * 2.0 ** min(repetition, 60))
        return max(longest * part, retry_after or 0.0)


class Retrying:
    """Repeats calls by a policy."""

    def __init__(
        self,
        policy: RetryPolicy,
        *,
        monotonic: Callable[[], float] = clock.monotonic,
        pause: Callable[[float], object] | None = None,
        part: Callable[[], float] = random.random,
    ) -> None:
        self._policy = policy
        self._monotonic, self._part = monotonic, part
        self._pause = pause or threading.Event().wait

    def call(self, send: Callable[[], T], *, is_repeatable: bool) -> T:
        """What ``send`` returns, or the error of its last try. ``is_repeatable``: a second effect cannot be."""
        end, tries = self._monotonic() + self._policy.total_seconds, 0
        while True:
            tries += 1
            try:
                return send()
            except (ApiError, ConnectionFailedError) as error:
                if tries >= self._policy.tries or not _may_be_repeated(error, is_repeatable):
                    raise
                seconds = self._pause_seconds(tries, error)
                if self._monotonic() + seconds > end:
                    raise
            self._pause(seconds)

    def _pause_seconds(self, repetition: int, error: ApiError | ConnectionFailedError) -> float:
        retry_after = error.retry_after if isinstance(error, ApiError) else None
        return self._policy.pause_seconds(repetition, retry_after=retry_after, part=self._part())


def _may_be_repeated(error: ApiError | ConnectionFailedError, is_repeatable: bool) -> bool:
    match error:
        case RateLimitedError() | InProgressError():
            return True
        case ConnectionFailedError():
            return is_repeatable or not error.was_sent
        case _:
            return is_repeatable and isinstance(error, UnavailableError)
