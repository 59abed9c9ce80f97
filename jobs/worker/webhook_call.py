"""Tell an endpoint how a run has ended, the way HTTP jobs call theirs.

What is told is read when it is told. A run that was replayed meanwhile is not told of: its next end has a webhook of
its own.
"""

from __future__ import annotations

import json
from typing import Any

from celery.exceptions import Ignore

from jobs.conf import config
from jobs.documents import iso, operation_document
from jobs.domain import webhook
from jobs.domain.built_in import WEBHOOK_JOB, WEBHOOK_TASK
from jobs.domain.http_body import Facts
from jobs.domain.messages import RunKey
from jobs.domain.outcomes import Fault, Kind, Outcome
from jobs.domain.states import RunStatus
from jobs.models import Endpoint, Job, JobRun
from jobs.store.http_targets import Target, target_of
from jobs.targets.curl import post
from jobs.worker import http_call
from jobs.worker.current import current_run
from jobs.worker.ended import AttemptEndedError


def tell(*, run: str, end: int, endpoint: int) -> Any:
    """POST the event; returns the answer. ``end`` is the run's token at the end that is told.

    AttemptEndedError for an answer that is no success, and where there is nothing to call or to tell.
    """
    _require_own_job()
    ended = _ended(RunKey.parse(run), end)
    facts = Facts(webhook.event_id(run, end), ended.job.name, ended.scheduled_for, _attempt())
    event = webhook.event(
        RunStatus(ended.status), timestamp=iso(ended.finished_at), operation=operation_document(ended)
    )
    call = http_call.prepare(_target(endpoint), facts, only_once=False, content=event)
    outcome = http_call.outcome(post(call), _retry_after_cap())
    if outcome.kind is not Kind.SUCCEEDED:
        raise AttemptEndedError(outcome)
    return json.loads(outcome.result or "null")


def _require_own_job() -> None:
    """It reads runs of every team and calls any endpoint: it works for the platform's own job alone."""
    run = current_run()
    if run is None or run.job != WEBHOOK_JOB:
        raise _dead("NotYours", f"The task {WEBHOOK_TASK} is the platform's own and works for {WEBHOOK_JOB} alone.")


def _ended(key: RunKey, end: int) -> JobRun:
    runs = JobRun.objects.select_related("job").filter(job_id=key.job_id, scheduled_for=key.scheduled_for)
    run = runs.first()
    if run is None:
        raise _dead("RunGone", f"Run {key} is older than what is kept: there is nothing to tell of it any more.")
    if run.token != end or not RunStatus(run.status).is_terminal:
        raise Ignore(f"Run {key} was queued again meanwhile; its next end is told by a webhook of its own.")
    return run


def _target(endpoint_id: int) -> Target:
    endpoint = Endpoint.objects.filter(pk=endpoint_id).first()
    if endpoint is None:
        raise _dead("EndpointGone", f"Endpoint {endpoint_id}, which was to be told, is deleted.")
    return target_of(endpoint)


def _attempt() -> int:
    run = current_run()
    return run.attempt if run else 1


def _retry_after_cap() -> float:
    """The longest wait that an answer may ask for, in seconds: as for HTTP jobs the job's longest back-off."""
    run = current_run()
    job = Job.objects.filter(pk=run.key.job_id).first() if run else None
    return job.backoff_cap_seconds if job else 0.0


def _dead(type_name: str, message: str) -> AttemptEndedError:
    return AttemptEndedError(Outcome(Kind.REJECTED, fault=Fault.bounded(type_name, message, limit=config().error_max)))
