"""Run a body where the pool runs it, and hand its outcome to the parent as plain, bounded data.

The pool gives the parent only a repr of a result and the whole of an exception, as team classes. So the outcome is
encoded here: the parent unpickles none of them and never sees more than the limits allow.
"""

from __future__ import annotations

import sys
import threading
from datetime import datetime
from typing import Any

from celery import signals
from celery.app import app_or_default
from celery.app.trace import fast_trace_task, trace_task_ret
from celery.exceptions import Ignore, Reject
from celery.utils.time import maybe_iso8601, maybe_make_aware

from jobs import clock
from jobs.conf import config
from jobs.domain.messages import RUN_HEADER
from jobs.domain.outcomes import Fault, Kind, Outcome, bounded_json
from jobs.worker import current
from jobs.worker.celery_parts import ExceptionInfo, ExceptionWithTraceback, Retry
from jobs.worker.ended import AttemptEndedError
from jobs.worker.retrying import MAX_RETRIES_ATTRIBUTE
from jobs.worker.shared import asked_to_end

_seen = threading.local()
# Celery's trace calls it a success when it fails before it comes to the body: no signal of one, no error either.
_NEVER_CALLED = Fault("InvalidTaskError", "Celery could not call the task; its worker's log says why.")


@signals.task_success.connect(weak=False)
def _keep_result(result: Any = None, **_: Any) -> None:
    if current.current_run() is not None:
        _seen.result, _seen.has_result = result, True


@signals.task_failure.connect(weak=False)
def _keep_exception(exception: BaseException | None = None, **_: Any) -> None:
    """The exception itself, which is being handled now: for one that cannot be pickled Celery passes a stand-in."""
    if current.current_run() is not None:
        _seen.exception = sys.exception() or exception


def run_trace(
    name: str, task_id: str, request: dict[str, Any], body: Any, content_type: str | None, encoding: str | None
) -> tuple[int, Outcome, float | None]:
    """Celery's trace for a run. SystemExit passes: in a prefork child it is how a termination arrives."""
    # Popped, so that nothing the body sends, retries or is replaced by carries the header on.
    header = request.pop(RUN_HEADER)
    run = current.from_header(header, task_id=task_id, asked_to_end=lambda: asked_to_end(task_id))
    app: Any = app_or_default()
    trace = fast_trace_task if app.use_fast_trace_task else trace_task_ret
    _seen.result = _seen.exception = None
    _seen.has_result = False
    try:
        with current.working_for(run):
            failed, retval, runtime = trace(name, task_id, request, body, content_type, encoding)
        if not failed and not _seen.has_result:
            return 0, Outcome(Kind.REJECTED, fault=_NEVER_CALLED), runtime
        if not failed:
            return 0, Outcome(Kind.SUCCEEDED, _encoded(_seen.result)), runtime
        return 0, _failure(retval, app.tasks.get(name)), runtime
    except Exception as error:  # MemoryError and Reject leave Celery's trace
        return 0, _outcome(error, ExceptionInfo(), app.tasks.get(name)), None
    finally:
        _seen.result = _seen.exception = None


def _encoded(result: object) -> str | None:
    return None if result is None else bounded_json(result, config().result_max)


def run_trace_in_thread(*args: Any) -> tuple[int, Outcome, float | None]:
    """As :func:`run_trace` where no process can end: a body's SystemExit ends the body alone."""
    try:
        return run_trace(*args)
    except BaseException as error:
        return 0, _outcome(error, ExceptionInfo(), None), None


def _failure(info: ExceptionInfo, task: Any) -> Outcome:
    error = info.exception
    if isinstance(error, ExceptionWithTraceback):
        error = error.exc
    if not isinstance(error, (Retry, Reject, Ignore)):
        error = _seen.exception or error
    return _outcome(error, info, task)


def _outcome(error: BaseException, info: ExceptionInfo, task: Any) -> Outcome:
    """The outcome that an exception stands for."""
    if isinstance(error, AttemptEndedError):
        return error.outcome
    if isinstance(error, Retry):
        cause = error.exc or error
        return Outcome(
            Kind.RETRY,
            fault=_fault(cause, info),
            delay=_seconds(error.when),
            max_retries=getattr(error, MAX_RETRIES_ATTRIBUTE, None),
        )
    if isinstance(error, Reject):
        requeue = getattr(error, "requeue", False)
        return Outcome(Kind.REQUEUED if requeue else Kind.REJECTED, fault=_fault(error, info))
    if isinstance(error, Ignore):
        return Outcome(Kind.IGNORED, fault=_fault(error, info))
    final = tuple(getattr(task, "dont_autoretry_for", None) or ())
    kind = Kind.REJECTED if isinstance(error, final) else Kind.FAILED
    if isinstance(error, (SystemExit, KeyboardInterrupt)):
        kind = Kind.WORKER_LOST
    return Outcome(kind, fault=_fault(error, info))


def _fault(error: BaseException, info: ExceptionInfo) -> Fault:
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return Fault.bounded(name, _message(error), str(info.traceback or ""), limit=config().error_max)


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # team code's __str__ may do anything
        return "(the exception's text could not be had)"


def _seconds(when: Any) -> float | None:
    """From now on. As Celery does: a number, a time or its ISO text; a naive one is UTC whatever the app's zone."""
    try:
        if isinstance(when, str):
            when = maybe_iso8601(when)
        if isinstance(when, datetime):
            return (maybe_make_aware(when) - clock.utcnow()).total_seconds()
        return None if when is None else float(when)
    except (TypeError, ValueError):
        return None
