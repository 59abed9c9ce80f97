"""``/v1/runs`` and ``/v1/jobs/{name}/runs``: list, read, cancel, retry."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Query, Router

from jobs.api.application import answers
from jobs.api.callers import READ, RUN, runs_of, token_of
from jobs.api.names import JobName, RunName, run_key
from jobs.api.once import IdempotencyKey, once
from jobs.api.operation import accepted
from jobs.api.paging import page, read_token
from jobs.api.reading import Fields, PageSize, PageToken, find_job, find_run, masked, run_answer
from jobs.api.schemas.common import Instant
from jobs.api.schemas.runs import OperationOut, RunOut, RunsOut
from jobs.domain.states import RunStatus
from jobs.models import JobRun, Token
from jobs.services.answer_once import Answer
from jobs.services.cancel import cancel
from jobs.services.replay import replay
from jobs.store.by_status import of_status
from jobs.store.clock import database_now

router = Router(tags=["runs"])
of_job = Router(tags=["runs"])
_USUAL = timedelta(days=1)
_RUN = "/{runkey:run}"

Status = Annotated[RunStatus | None, Query(description="Only runs that stand so.")]
Since = Annotated[Instant | None, Query(description="Slots from this instant on.")]
Until = Annotated[Instant | None, Query(description="Slots before this instant.")]


@of_job.get(
    "/{jobname:name}/runs",
    auth=READ,
    response=answers(RunsOut),
    summary="List a job's runs",
    operation_id="list_job_runs",
)
def list_of_job(
    request: HttpRequest,
    name: JobName,
    status: Status = None,
    since: Since = None,
    until: Until = None,
    page_size: PageSize = 100,
    page_token: PageToken = "",
    fields: Fields = "",
) -> HttpResponse:
    job = find_job(token_of(request), name)
    question = (job.pk, status, since, until)
    runs = _between(JobRun.objects.filter(job=job), status, since, until).order_by("-scheduled_for")
    if before := read_token(page_token, question):
        runs = runs.filter(scheduled_for__lt=datetime.fromisoformat(before))
    return _list(runs, page_size, question, lambda run: run.scheduled_for.isoformat(), fields)


@router.get(
    "",
    auth=READ,
    response=answers(RunsOut),
    summary="List runs",
    description="The newest made first. Without `since`, those of the last day.",
    operation_id="list_runs",
)
def list_runs(
    request: HttpRequest,
    status: Status = None,
    job: Annotated[str, Query(description="Of this job.", pattern="^[a-z0-9._-]{0,100}$")] = "",
    team: Annotated[str, Query(description="Of this team's jobs.", max_length=150)] = "",
    since: Since = None,
    until: Until = None,
    page_size: PageSize = 100,
    page_token: PageToken = "",
    fields: Fields = "",
) -> HttpResponse:
    token = token_of(request)
    question = (status, job, team, since, until)
    runs = _between(_of(token, job, team), status, since or database_now() - _USUAL, until).order_by("-id")
    if before := read_token(page_token, question):
        runs = runs.filter(id__lt=before)
    return _list(runs, page_size, question, lambda run: run.pk, fields)


@router.get(_RUN, auth=READ, response=answers(RunOut), summary="Read a run", operation_id="get_run")
def get_run(request: HttpRequest, run: RunName, fields: Fields = "") -> HttpResponse:
    found = find_run(token_of(request), run_key(run))
    return JsonResponse(masked({**run_answer(found), "errors": found.errors, "progress": found.progress}, fields))


@router.post(
    f"{_RUN}:cancel",
    auth=RUN,
    response=answers(RunOut),
    summary="Cancel a run",
    description="A queued run ends at once; a running one is asked to end. 409 when it has ended already.",
    operation_id="cancel_run",
)
def cancel_run(request: HttpRequest, run: RunName, idempotency_key: IdempotencyKey = None) -> HttpResponse:
    token, key = token_of(request), run_key(run)

    def work() -> Answer:
        find_run(token, key)
        cancel(key)
        return Answer(200, run_answer(find_run(token, key)))

    return once(request, idempotency_key, work, check=lambda: find_run(token, key))


@router.post(
    f"{_RUN}:retry",
    auth=RUN,
    response=answers(OperationOut, status=202),
    summary="Queue a dead run again",
    description="It keeps its key; its attempts are allowed anew, its operation is open again. 409 unless it is dead.",
    operation_id="retry_run",
)
def retry_run(request: HttpRequest, run: RunName, idempotency_key: IdempotencyKey = None) -> HttpResponse:
    token, key = token_of(request), run_key(run)

    def work() -> Answer:
        find_run(token, key)
        replay(key, who=str(token))
        return accepted(key)

    return once(request, idempotency_key, work, check=lambda: find_run(token, key))


def _of(token: Token, job: str, team: str) -> QuerySet[JobRun]:
    runs = runs_of(token)
    if job:
        runs = runs.filter(job=find_job(token, job))
    return runs.filter(job__team__name=team.replace("\x00", "")) if team else runs


def _between(
    runs: QuerySet[JobRun], status: RunStatus | None, since: datetime | None, until: datetime | None
) -> QuerySet[JobRun]:
    if status:
        runs = runs.filter(of_status(status))
    if since:
        runs = runs.filter(scheduled_for__gte=since)
    return runs.filter(scheduled_for__lt=until) if until else runs


def _list(runs: QuerySet[JobRun], size: int, question: tuple[Any, ...], place: Any, fields: str) -> HttpResponse:
    newest = runs.select_related("job").defer("log", "errors")[: size + 1]
    found, next_token = page(list(newest), size, question, place)
    return JsonResponse({"runs": [masked(run_answer(run), fields) for run in found], "next_page_token": next_token})
