"""Jobs and runs as answers: documents, field masks, pages."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from ninja import Query

from jobs.api.callers import jobs_of, may_see, runs_of
from jobs.api.etags import etag
from jobs.documents import iso, job_definition, job_summary, operation_name, run_document
from jobs.domain.messages import RunKey
from jobs.errors import InvalidFieldError, NotFoundError
from jobs.models import Job, JobRun, Token
from jobs.services.answer_once import Answer
from jobs.store.clock import database_now

Fields = Annotated[
    str,
    Query(
        description="Only these fields of each item, with commas between them.",
        pattern="^([a-z_]+(,[a-z_]+)*)?$",
        max_length=500,
    ),
]
PageSize = Annotated[int, Query(ge=1, le=1000, description="At most so many items.")]
PageToken = Annotated[
    str,
    Query(description="next_page_token of the page before.", pattern="^[A-Za-z0-9_:.-]*$", max_length=500),
]


def find_job(token: Token, name: str) -> Job:
    """The living job of this name that the token reaches."""
    job = jobs_of(token).filter(name=name).select_related("cursor", "endpoint", "webhook", "team").first()
    if job is None:
        raise NotFoundError(_no_job(name))
    return job


def require_reach(token: Token, name: str) -> None:
    """NotFoundError unless the token reaches the living job of this name or, where none lives, one that did."""
    if token.team_id is None:
        return
    named = Job.objects.filter(name=name)
    living = named.living().first()
    if not (may_see(token, living.team_id) if living else named.filter(team_id=token.team_id).exists()):
        raise NotFoundError(_no_job(name))


def find_run(token: Token, key: RunKey) -> JobRun:
    """The run of this key that the token reaches."""
    run = runs_of(token).filter(job_id=key.job_id, scheduled_for=key.scheduled_for).first()
    if run is None:
        raise NotFoundError(no_run(key))
    return run


def job_document(job: Job, now: datetime) -> dict[str, Any]:
    """A job: its definition, where it stands at ``now``, the database's time, and its ETag."""
    summary = job_summary(job, now)
    return {
        **{name: summary[name] for name in ("name", "state", "note", "schedule", "next")},
        **job_definition(job),
        "team": job.team.name if job.team else None,
        "created_at": iso(job.created_at),
        "updated_at": iso(job.updated_at),
        "etag": etag(job),
    }


def job_answer(job: Job, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    """The job, with its ETag."""
    return Answer(status, job_document(job, database_now()), {"ETag": etag(job), **(headers or {})})


def run_answer(run: JobRun) -> dict[str, Any]:
    """A run, with the name of its operation."""
    return {**run_document(run), "operation": operation_name(run.key)}


def masked(document: dict[str, Any], fields: str) -> dict[str, Any]:
    """The document's fields that were asked for; all of them when none were."""
    if not fields:
        return document
    wanted = fields.split(",")
    for name in wanted:
        if name not in document:
            raise InvalidFieldError("query.fields", f"There is no field {name}; there are {', '.join(document)}.")
    return {name: document[name] for name in wanted}


def no_run(key: RunKey) -> str:
    """What is said of a run that the token does not reach, whether there is one or not."""
    return f"There is no run {key}, or this token does not reach it."


def _no_job(name: str) -> str:
    return f'There is no job "{name}", or this token does not reach it.'
