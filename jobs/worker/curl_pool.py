"""The pool of HTTP workers: every call of the process in one thread on curl's multi interface.

A worker of ``jobs.http`` alone takes it by itself (:func:`jobs.worker.celery_settings.fit_worker`). As many calls are
in flight as its concurrency says, since the broker delivers no more unacknowledged messages than that. A slow endpoint
holds its calls' places, no thread. The pool makes calls and nothing else: it has no way to end a Python body.
"""

from __future__ import annotations

import gc
import itertools
from collections.abc import Callable
from typing import Any

from celery.exceptions import TaskRevokedError, Terminated

from jobs import clock, log
from jobs.domain.answers import Answer, Failure, FailureKind
from jobs.targets.multi import Multi
from jobs.worker.celery_parts import BasePool, ExceptionInfo
from jobs.worker.http_call import make, outcome

_ONLY_CALLS = "This worker makes HTTP calls only. Give the job another queue, or this queue a worker with -P threads."
# New objects between two looks for garbage. Python's own 700 are a dozen runs: it took an eighth of the hub's time.
_GARBAGE_LOOK = 50_000


class NotAnHTTPRunError(Exception):
    """A task of any other kind came to a worker that only makes calls."""


class CurlPool(BasePool):
    """A number stands for a call where Celery expects a process id."""

    signal_safe = False
    can_terminate = True

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._numbers = itertools.count(1)
        self._multi = Multi()

    def on_start(self) -> None:
        gc.set_threshold(_GARBAGE_LOOK, *gc.get_threshold()[1:])  # no team code runs in this process
        self._multi.start()

    def on_apply(
        self,
        target: Callable[..., Any],
        args: Any,
        kwargs: Any,
        *,
        callback: Callable[..., Any],
        error_callback: Callable[..., Any],
        accept_callback: Callable[..., Any],
        **_: Any,
    ) -> None:
        """Begin a call; the callbacks come from curl's thread."""
        if target is not make:
            error_callback(_info(NotAnHTTPRunError(_ONLY_CALLS)))
            return
        call, retry_after_cap = args
        number = next(self._numbers)

        def on_start() -> bool:
            return _accept(accept_callback, number)

        def on_done(result: Answer | Failure) -> None:
            if isinstance(result, Failure) and result.kind is FailureKind.CANCELLED:
                error_callback(_info(Terminated("The call was ended.")))
            else:
                callback((0, outcome(result, retry_after_cap), result.seconds))

        self._multi.submit(number, call, on_start=on_start, on_done=on_done)

    def terminate_job(self, pid: int, signal: Any = None) -> None:
        """End the call of this number."""
        self._multi.cancel(pid)

    def on_stop(self) -> None:
        """Wait for the calls in flight, each of which has its deadline."""
        while not self._multi.drain(1.0):
            pass
        self._multi.stop()

    def on_terminate(self) -> None:
        """End the calls in flight."""
        self._multi.stop()

    def _get_info(self) -> dict[str, Any]:
        return {**super()._get_info(), "calls-in-flight": self._multi.in_flight}


def _accept(accept_callback: Callable[..., Any], number: int) -> bool:
    """Report the start. False when the run is not to start any more; any other trouble stops no call."""
    try:
        accept_callback(number, clock.monotonic())
    except TaskRevokedError:
        return False
    except Exception as error:
        log.error("worker.callback_failed", callback="on_accepted", error=repr(error))
    return True


def _info(error: Exception) -> ExceptionInfo:
    """As a pool carries an error: it takes the one that is being handled."""
    try:
        raise error
    except Exception:
        return ExceptionInfo()
