"""A limit of requests a second for each token, counted in Redis. Without Redis nobody is held up, and it is counted."""

from __future__ import annotations

import functools
import threading

import redis
from redis.exceptions import RedisError

from jobs import log
from jobs.clock import monotonic
from jobs.conf import config
from jobs.errors import RateLimitedError
from jobs.models import Token

WINDOW_SECONDS = 10
_TIMEOUT_SECONDS = 0.2
_PAUSE_SECONDS = 5.0
_lock = threading.Lock()
_open_until = 0.0
_uncounted = 0


def count(token: Token) -> None:
    """Count a request; RateLimitedError when the token has had its share of the window."""
    limit = config().api_rate
    if not config().redis_url:
        return
    if monotonic() < _open_until:
        _let_through()
        return
    try:
        used, left_ms = _count(token.pk)
    except RedisError as error:
        _fail_open(error)
        return
    if used > limit * WINDOW_SECONDS:
        raise RateLimitedError(
            f"This token has made more than {limit * WINDOW_SECONDS:,} requests in {WINDOW_SECONDS} s. "
            "Wait as long as Retry-After says.",
            retry_after=left_ms / 1000,
        )


def uncounted() -> int:
    """Requests that this process has let through without counting them."""
    return _uncounted


def _let_through() -> None:
    global _uncounted
    with _lock:
        _uncounted += 1


def _count(token_id: int) -> tuple[int, int]:
    """Requests in the window, which begins with its first, and milliseconds until it ends."""
    key = f"beatkeeper:rate:{token_id}"
    with _client().pipeline(transaction=True) as pipeline:
        pipeline.set(key, 0, px=WINDOW_SECONDS * 1000, nx=True)
        pipeline.incr(key)
        pipeline.pttl(key)
        _, used, left_ms = pipeline.execute()
    return used, left_ms


@functools.lru_cache(maxsize=1)
def _client() -> redis.Redis:
    return redis.Redis.from_url(
        config().redis_url, socket_timeout=_TIMEOUT_SECONDS, socket_connect_timeout=_TIMEOUT_SECONDS
    )


def _fail_open(error: RedisError) -> None:
    """Let requests through uncounted for a while: a broken Redis must not slow down each of them."""
    global _open_until
    _open_until = monotonic() + _PAUSE_SECONDS
    _let_through()
    log.warning("api.rate_uncounted", seconds=_PAUSE_SECONDS, error=repr(error))
