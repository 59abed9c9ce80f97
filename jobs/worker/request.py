"""Celery's request with a second life: for a run, every way it can end becomes one outcome told to the clerk.

The message of a run is acknowledged by the clerk, after the outcome is committed. A request without a run is
Celery's own in every respect: each method then only calls what it overrides.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any
from weakref import ref

from celery.exceptions import TaskRevokedError, TimeLimitExceeded
from celery.worker import state

from jobs import log
from jobs.domain.http_body import Facts
from jobs.domain.outcomes import Fault, Kind, Outcome
from jobs.domain.policies import Delivery
from jobs.worker import http_call
from jobs.worker.celery_parts import ExceptionInfo, ExceptionWithTraceback, Request
from jobs.worker.cut_off import outcome_of_end
from jobs.worker.hold import Hold
from jobs.worker.trace import run_trace, run_trace_in_thread

HOLD_ATTRIBUTE = "jobs_hold"


def _for_runs(for_run: Callable[..., Any], plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def method(self: RunRequest, *args: Any, **options: Any) -> Any:
        return plain(self, *args, **options) if self.hold is None else for_run(self, *args, **options)

    return method


class RunRequest(Request):
    """A request that may be a run; then :attr:`hold` is set."""

    hold: Hold | None = None
    _in_threads = False

    def __init_subclass__(cls, **options: Any) -> None:
        """Celery makes a subclass a task, with methods of its own that would hide ours: wrap those."""
        super().__init_subclass__(**options)
        for name, for_run in (("execute_using_pool", RunRequest._give), ("on_success", RunRequest._on_returned)):
            if plain := cls.__dict__.get(name):
                setattr(cls, name, _for_runs(for_run, plain))

    def __init__(self, message: Any, **options: Any) -> None:
        super().__init__(message, **options)
        self.hold = getattr(message, HOLD_ATTRIBUTE, None)
        if self.hold is not None:
            self.hold.request = self

    def _give(self, pool: Any, **_: Any) -> Any:
        hold = self._run
        if hold.ended or hold.ending or self.revoked():
            self.tell(Outcome(Kind.CANCELLED))
            raise TaskRevokedError(self.id)
        if hold.is_too_late:
            self.tell(Outcome(Kind.MISSED, fault=Fault("", "Not started by its deadline.")))
            raise TaskRevokedError(self.id)
        self._in_threads = not has_processes(pool)
        target, args = self._call() if hold.target else self._task_body()
        hold.given = True
        limit, soft_limit = self._limits()
        result = pool.apply_async(
            target,
            args=args,
            accept_callback=self.on_accepted,
            timeout_callback=self.on_timeout,
            callback=self.on_success,
            error_callback=self.on_failure,
            soft_timeout=soft_limit,
            timeout=limit,
            correlation_id=self.id,
        )
        self._apply_result = ref(result) if result is not None else None
        return result

    def _limits(self) -> tuple[float | None, float | None]:
        """(hard, soft) in seconds; a call has its own deadline."""
        if self._run.target:
            return None, None
        limit, soft_limit = self.time_limits
        return limit or self._task.time_limit, soft_limit or self._task.soft_time_limit

    def _task_body(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        args = (self._type, self.id, self._request_dict, self._body, self._content_type, self._content_encoding)
        return run_trace_in_thread if self._in_threads else run_trace, args

    def _call(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """An HTTP run's call, composed and signed now; what cannot be called has ended."""
        hold = self._run
        assert hold.target is not None  # noqa: S101  # the caller looked
        key = hold.lease.key
        try:
            facts = Facts(str(key), hold.job, key.scheduled_for, hold.attempt.number)
            call = http_call.prepare(hold.target, facts, only_once=hold.attempt.delivery is Delivery.AT_MOST_ONCE)
        except http_call.CannotCallError as error:
            self.tell(error.outcome)
            raise TaskRevokedError(self.id) from error
        return http_call.make, (call, hold.attempt.policy.cap)

    def on_accepted(self, pid: int, time_accepted: float) -> None:
        """The body starts, or started a moment ago. In threads an error raised here keeps it from starting."""
        hold = self.hold
        if hold is not None:
            if self._in_threads and (hold.ended or hold.ending):
                self.tell(Outcome(Kind.CANCELLED))
                raise TaskRevokedError(self.id)
            hold.started = time_accepted
        super().on_accepted(pid, time_accepted)

    def _on_returned(self, failed_retval_runtime: tuple[int, Any, float | None], **_: Any) -> None:
        failed, value, runtime = failed_retval_runtime
        if failed:
            self.on_failure(value)
            return
        outcome: Outcome = value
        self.tell(outcome)  # before the event, whose connection may fail
        self._send_ended_event(outcome, runtime)

    def on_failure(self, exc_info: ExceptionInfo, send_failed_event: bool = True, return_ok: bool = False) -> None:
        """The body's end came from outside: killed, terminated, out of time."""
        if self.hold is None:
            super().on_failure(exc_info, send_failed_event, return_ok)
            return
        error = exc_info.exception
        outcome = self._outcome_of(error.exc if isinstance(error, ExceptionWithTraceback) else error)
        self.tell(outcome)
        self._send_ended_event(outcome, None)

    def on_timeout(self, soft: bool, timeout: float) -> None:
        """A limit passed; what follows from a hard one has been told by :meth:`on_failure` before."""
        if self.hold is None:
            super().on_timeout(soft, timeout)
            return
        log.warning("run.time_limit", run=self._run.lease.key, job=self._run.job, soft=soft, seconds=timeout)
        if not soft:
            self.tell(self._outcome_of(TimeLimitExceeded(timeout)))

    def _outcome_of(self, error: BaseException) -> Outcome:
        return outcome_of_end(
            error,
            was_asked=bool(self._run.ending or self._already_revoked),
            at_once=self._already_cancelled or state.should_terminate is not None,
        )

    def _send_ended_event(self, outcome: Outcome, runtime: float | None) -> None:
        if outcome.kind is Kind.SUCCEEDED:
            self.send_event("task-succeeded", result=(outcome.result or "")[:100], runtime=runtime)
        elif outcome.kind in (Kind.RETRY, Kind.REQUEUED):
            self.send_event("task-retried", exception=str(outcome.fault), traceback="")
        else:
            self.send_event("task-failed", exception=str(outcome.fault or outcome.kind), traceback="")

    def end(self, pool: Any, signal: str) -> None:
        """End the body by a signal to its process, or the call; in threads it is only asked to end."""
        if self._run.given and not self._run.ended and can_terminate(pool):
            self.terminate(pool, signal)  # or at once when it is accepted

    def _announce_revoked(self, reason: str, terminated: bool, signum: Any, expired: bool) -> None:
        """Revoked. A body that runs is settled when its process has ended, which is told by itself."""
        if self.hold is None:
            super()._announce_revoked(reason, terminated, signum, expired)
            return
        self._already_revoked = True
        self.send_event("task-revoked", terminated=terminated, signum=signum, expired=expired)
        if not self.time_start:
            self.tell(Outcome(Kind.CANCELLED))

    def _announce_cancelled(self, emit_retry: bool = True) -> None:
        """Told to stop at once by a shutdown: the body's end is told by itself, nothing is sent again from here."""
        if self.hold is None:
            super()._announce_cancelled(emit_retry)
            return
        self._already_cancelled = True
        self.send_event("task-cancelled")

    def acknowledge(self) -> None:
        """Acknowledge an ordinary task's message."""
        if self.hold is None:
            super().acknowledge()

    def reject(self, requeue: bool = False) -> None:
        """Reject an ordinary task's message."""
        if self.hold is None:
            super().reject(requeue)

    def tell(self, outcome: Outcome) -> None:
        """Tell the clerk how the attempt ended: the first word counts. Celery forgets the request.

        Its memory of what succeeded is for messages without a claim.
        """
        state.task_ready(self)
        hold = self._run
        if not hold.ended:
            hold.ended = True
            self.acknowledged = True
            hold.clerk.told(hold, outcome)

    @property
    def _run(self) -> Hold:
        assert self.hold is not None  # noqa: S101  # callers look first; this says it to the type checker
        return self.hold


def has_processes(pool: Any) -> bool:
    """Whether bodies run in child processes, which can be killed: prefork, the pool with a semaphore."""
    return bool(getattr(pool, "uses_semaphore", False))


def can_terminate(pool: Any) -> bool:
    """Whether the pool can end what it runs: prefork, and the pool of HTTP calls."""
    return has_processes(pool) or bool(getattr(pool, "can_terminate", False))
