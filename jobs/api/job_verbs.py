"""What is done with a job: run, pause, resume, preview; and a preview of a schedule that is no job's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Query, Router

from jobs.api.application import answers
from jobs.api.callers import READ, RUN, WRITE, token_of
from jobs.api.names import JobName
from jobs.api.once import IdempotencyKey, once
from jobs.api.operation import accepted, operation_answer
from jobs.api.reading import find_job, job_answer, require_reach
from jobs.api.schemas.common import Instant
from jobs.api.schemas.jobs import JobOut, PauseIn, PreviewIn, PreviewOut, ResumeIn
from jobs.api.schemas.runs import OperationOut, RunIn
from jobs.documents import slot_document
from jobs.domain.schedules import ScheduleSpec, describe, preview, warnings
from jobs.domain.states import Trigger
from jobs.errors import InvalidFieldError
from jobs.models import Job, Token
from jobs.services.answer_once import Answer
from jobs.services.define import find_endpoint
from jobs.services.dispatch_soon import publish_soon
from jobs.services.pause import pause
from jobs.services.resume import resume
from jobs.services.run import run_job
from jobs.services.run_now import run_now
from jobs.store.clock import database_now

router = Router(tags=["jobs"])
stateless = Router(tags=["preview"])
_NAME = "/{jobname:name}"


@router.post(
    f"{_NAME}:run",
    auth=RUN,
    response=answers(OperationOut, status=202),
    summary="Run a job",
    description="Now, after a delay, or at a time. The answer names the operation to wait for.",
    operation_id="run_job",
)
def run(
    request: HttpRequest, name: JobName, what: RunIn | None = None, idempotency_key: IdempotencyKey = None
) -> HttpResponse:
    token, asked = token_of(request), what or RunIn.model_validate({})
    work, check = partial(_started, token, name, asked), partial(require_reach, token, name)
    return once(request, idempotency_key, work, check=check)


@router.post(f"{_NAME}:pause", auth=WRITE, response=answers(JobOut), summary="Pause a job", operation_id="pause_job")
def pause_job(
    request: HttpRequest, name: JobName, how: PauseIn | None = None, idempotency_key: IdempotencyKey = None
) -> HttpResponse:
    asked = how or PauseIn()

    def work() -> Answer:
        job = find_job(token_of(request), name)
        pause(job, until=asked.until, reason=asked.reason)
        return job_answer(_again(job))

    return once(request, idempotency_key, work, check=lambda: require_reach(token_of(request), name))


@router.post(
    f"{_NAME}:resume", auth=WRITE, response=answers(JobOut), summary="Resume a paused job", operation_id="resume_job"
)
def resume_job(
    request: HttpRequest, name: JobName, how: ResumeIn | None = None, idempotency_key: IdempotencyKey = None
) -> HttpResponse:
    asked = how or ResumeIn()

    def work() -> Answer:
        job = find_job(token_of(request), name)
        resume(job, catch_up=asked.catch_up)
        return job_answer(_again(job))

    return once(request, idempotency_key, work, check=lambda: require_reach(token_of(request), name))


@router.get(
    f"{_NAME}:preview",
    auth=READ,
    response=answers(PreviewOut),
    summary="Preview a job's coming slots",
    operation_id="preview_job",
)
def preview_job(
    request: HttpRequest,
    name: JobName,
    after: Annotated[Instant | None, Query(description="Slots after this instant.")] = None,
    count: Annotated[int, Query(ge=1, le=100)] = 10,
) -> HttpResponse:
    return _preview(find_job(token_of(request), name).spec, after, count)


@stateless.post(
    "",
    auth=READ,
    response=answers(PreviewOut),
    summary="Preview a schedule",
    description="Stores nothing.",
    operation_id="preview_schedule",
)
def preview_schedule(request: HttpRequest, schedule: PreviewIn) -> HttpResponse:
    fields = schedule.model_dump(exclude={"after", "count"})
    return _preview(ScheduleSpec(**fields), schedule.after, schedule.count)


def _started(token: Token, name: str, asked: RunIn) -> Answer:
    """The commonest run, now and of a job that may run beside itself, takes the short way."""
    payload = _payload(asked)
    if not asked.model_fields_set - {"args", "kwargs", "body"}:
        run = run_now(name, payload, team_id=token.team_id, trigger=Trigger.API)
        if run is not None:
            return operation_answer(run, status=202)
    delay = None if asked.delay_seconds is None else _delay(asked.delay_seconds)
    with _fields_as_written():
        key = run_job(
            find_job(token, name),
            payload=payload,
            at=asked.run_at,
            delay=delay,
            force=asked.force,
            trigger=Trigger.API,
            webhook=None if asked.webhook is None else find_endpoint("webhook", asked.webhook),
            publish=publish_soon,
        )
    return accepted(key)


@contextmanager
def _fields_as_written() -> Iterator[None]:
    """``run_job`` has shorter names for what a request brings: a fault is told at the request's own."""
    try:
        yield
    except InvalidFieldError as error:
        written = {"at": "run_at", "delay": "delay_seconds"}.get(error.field, error.field)
        raise InvalidFieldError(written, str(error)) from error


def _preview(spec: ScheduleSpec, after: datetime | None, count: int) -> HttpResponse:
    slots = preview(spec, after or database_now(), count)
    document = {
        "schedule": describe(spec),
        "slots": [slot_document(slot) for slot in slots],
        "warnings": list(warnings(spec)),
    }
    return JsonResponse(document)


def _payload(asked: RunIn) -> dict[str, Any] | None:
    given = {name: getattr(asked, name) for name in ("args", "kwargs", "body") if name in asked.model_fields_set}
    return {name: value for name, value in given.items() if value is not None or name == "body"} or None


def _delay(seconds: float) -> timedelta:
    # Far beyond what is allowed, and what a timedelta can hold: run_job refuses it in its own words.
    return timedelta(seconds=max(-1.0, min(seconds, 1e9)))


def _again(job: Job) -> Job:
    return Job.objects.select_related("cursor", "endpoint", "webhook", "team").get(pk=job.pk)
