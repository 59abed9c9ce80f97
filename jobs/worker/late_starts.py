"""Before Celery forgets what its pool has not reported as started: hear the reports that are on their way.

When the broker is lost, prefork's pool drops every job whose start it has not read from the child's pipe yet, and runs
are handed back for it. But such a job may be in a child already, and its body run: handed back, it would start twice.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from jobs import clock, log
from jobs.readiness import readable

# A child that is free takes a job at once. One that stands still for so long has started nothing.
WITHIN_SECONDS = 1.0
_LOOK_SECONDS = 0.05


def hear_late_starts(pool: Any, within: float = WITHIN_SECONDS) -> None:
    """Read the children's pipes until each job that a child has was reported as started, or its child is gone.

    ``pool``: billiard's, with its loop standing still. A job that is still on its way into a pipe is written first.
    """
    _finish_writing(pool)
    until = clock.monotonic() + within
    while waited_for := _unreported(pool):
        if clock.monotonic() > until:
            log.warning("worker.start_unheard", runs=len(waited_for))
            return
        for pipe in readable([job._write_to.outqR_fd for job in waited_for], _LOOK_SECONDS):
            _read_message(pool, pipe, until)


def _finish_writing(pool: Any) -> None:
    writers = {_writer_of(job): job for job in pool._cache.values()}
    for writer in list(pool._active_writers):
        job = writers.get(writer)
        if job is not None and job._scheduled_for and inspect.getgeneratorstate(writer) != inspect.GEN_CREATED:
            pool._flush_writer(job._scheduled_for, writer)


def _writer_of(job: Any) -> Any:
    """What writes the job to its child's pipe; None before it begins and after its end."""
    writer = getattr(job, "_writer", None)
    return writer and writer()


def _unreported(pool: Any) -> list[Any]:
    return [job for job in pool._cache.values() if not job._accepted and job._write_to and job._write_to._is_alive()]


def _read_message(pool: Any, pipe: int, until: float) -> None:
    """A whole message: half of one would be lost with the loop's place in it."""
    handler = pool._result_handler
    reading: Iterator[Any] = handler._recv_message(_no_loop, pipe, handler.on_state_change)
    while clock.monotonic() <= until:
        try:
            next(reading)
        except (StopIteration, OSError, EOFError):  # read, or its child has gone
            return
        readable([pipe], _LOOK_SECONDS)


def _no_loop(*_: Any) -> None:
    """The loop is not asked to go on with the pipe: it listens to all of them anew."""
