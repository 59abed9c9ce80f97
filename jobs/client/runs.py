"""What can be asked of runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from jobs.client import sending
from jobs.client.documents import Run
from jobs.client.errors import InvalidInputError
from jobs.client.operations import Operation, OperationCalls

_NOT_GIVEN: Any = object()


class RunCalls(OperationCalls):
    """``/v1/jobs/{name}:run`` and ``/v1/runs``"""

    def run(
        self,
        name: str,
        *,
        kwargs: Mapping[str, Any] | None = None,
        args: Sequence[Any] | None = None,
        body: Any = _NOT_GIVEN,
        delay: float | timedelta | None = None,
        at: datetime | None = None,
        force: bool = False,
        webhook: str | None = None,
        key: str | None = None,
    ) -> Operation:
        """Make one run of a job: now, after ``delay`` seconds, or ``at`` a time, at most 90 days ahead.

        ``kwargs`` and ``args``, or ``body`` of an HTTP job, stand in for the job's own. ``force`` leaves its
        concurrency policy out. ``webhook`` is the name of an endpoint that is told of this run's end, in place of the
        job's own. ConflictError: the policy allows no run now, or the job takes none. ``key`` is the idempotency key:
        the same key is the same run, from any process, for 24 hours.
        """
        if delay is not None and at is not None:
            raise InvalidInputError("Give delay or at, not both.")
        asked = {
            **sending.given(kwargs=kwargs, args=args, force=force, webhook=webhook),
            **({} if at is None else {"run_at": sending.instant("at", at)}),
            **({} if delay is None else {"delay_seconds": sending.seconds("delay", delay)}),
            **({} if body is _NOT_GIVEN else {"body": body}),
        }
        path = f"/jobs/{sending.name_in_path('job', name)}:run"
        return self._operation(self._transport.post(path, asked, key=key))

    def run_and_wait(self, name: str, *, timeout: float | None = None, **options: Any) -> Any:
        """The result of a new run; ``options`` are those of :meth:`run`.

        OperationFailedError: it ended without success. OperationOpenError: not in ``timeout`` seconds; it goes on.
        """
        return self.wait(self.run(name, **options), timeout).raise_for_error().result

    def runs(
        self,
        job: str | None = None,
        *,
        status: str | None = None,
        team: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        page_size: int = 100,
    ) -> Iterator[Run]:
        """Runs, the newest first: of one job by slot, or of all, then of the last day where ``since`` is not given."""
        asked = {"status": status, "since": since, "until": until, "page_size": page_size}
        path = "/runs"
        if team is not None:
            asked.update(team=team, job=job)
        elif job is not None:
            path = f"/jobs/{sending.name_in_path('job', job)}/runs"
        return map(Run.read, self._transport.items(path, "runs", asked))

    def run_of(self, key: str) -> Run:
        """The run of a key; the errors of its attempts and its progress are in ``document``."""
        return Run.read(self._transport.get(_path(key)).document)

    def cancel(self, key: str) -> Run:
        """End a queued run at once, ask a running one to end; ConflictError when it has ended."""
        return Run.read(self._transport.post(f"{_path(key)}:cancel").document)

    def retry(self, key: str) -> Operation:
        """Queue a dead run again, under its key; ConflictError unless it is dead."""
        return self._operation(self._transport.post(f"{_path(key)}:retry"))


def _path(key: str) -> str:
    return f"/runs/{sending.name_in_path('run', key)}"
