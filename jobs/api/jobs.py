"""``/v1/jobs``: list, create, read, change, archive."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Query, Router

from jobs.api.application import answers
from jobs.api.callers import READ, WRITE, jobs_of, may_see, token_of
from jobs.api.etags import IfMatch, etag, version
from jobs.api.names import JobName
from jobs.api.once import IdempotencyKey, as_response, once
from jobs.api.paging import page, read_token
from jobs.api.reading import Fields, PageSize, PageToken, find_job, job_answer, job_document, masked, require_reach
from jobs.api.schemas.jobs import JobIn, JobOut, JobPatch, JobsOut
from jobs.domain.json_value import text_fault
from jobs.errors import InvalidFieldError, NotAllowedError
from jobs.models import Token
from jobs.services.answer_once import Answer
from jobs.services.archive import archive
from jobs.services.define import create, edit
from jobs.store.clock import database_now

router = Router(tags=["jobs"])


@router.get("", auth=READ, response=answers(JobsOut), summary="List jobs by name", operation_id="list_jobs")
def list_jobs(
    request: HttpRequest,
    prefix: Annotated[str, Query(description="Names that begin so.", pattern="^[a-z0-9._-]{0,100}$")] = "",
    team: Annotated[str, Query(description="Of this team.", max_length=150)] = "",
    enabled: Annotated[bool | None, Query(description="Only enabled, or only disabled ones.")] = None,
    page_size: PageSize = 100,
    page_token: PageToken = "",
    fields: Fields = "",
) -> HttpResponse:
    token = token_of(request)
    question = (prefix, team, enabled)
    jobs = jobs_of(token).select_related("cursor", "endpoint", "webhook", "team").order_by("name")
    if prefix:  # as a range: the index of living names gives it in any collation
        jobs = jobs.filter(name__gte=prefix, name__startswith=prefix)
    if team:
        jobs = jobs.filter(team__name=_text("query.team", team))
    if enabled is not None:
        jobs = jobs.filter(enabled=enabled)
    if after := read_token(page_token, question):
        jobs = jobs.filter(name__gt=after)
    found, next_token = page(list(jobs[: page_size + 1]), page_size, question, lambda job: job.name)
    now = database_now()
    documents = [masked(job_document(job, now), fields) for job in found]
    return JsonResponse({"jobs": documents, "next_page_token": next_token})


@router.post(
    "",
    auth=WRITE,
    response=answers(JobOut, status=201),
    summary="Create a job",
    description="409 when a living job has the name.",
    operation_id="create_job",
)
def create_job(request: HttpRequest, job: JobIn, idempotency_key: IdempotencyKey = None) -> HttpResponse:
    token, fields = token_of(request), job.model_dump(exclude_unset=True, exclude={"allow_past"})
    _check_team(token, fields, is_new=True)

    def work() -> Answer:
        made = create(fields, source="api", allow_past=job.allow_past)
        return job_answer(made, status=201, headers={"Location": f"/v1/jobs/{made.name}"})

    return once(request, idempotency_key, work, check=lambda: require_reach(token, job.name))


@router.get("/{jobname:name}", auth=READ, response=answers(JobOut), summary="Read a job", operation_id="get_job")
def get_job(request: HttpRequest, name: JobName, fields: Fields = "") -> HttpResponse:
    job = find_job(token_of(request), name)
    response = JsonResponse(masked(job_document(job, database_now()), fields))
    response["ETag"] = etag(job)
    return response


@router.patch("/{jobname:name}", auth=WRITE, response=answers(JobOut), summary="Change a job", operation_id="edit_job")
def edit_job(request: HttpRequest, name: JobName, changes: JobPatch, if_match: IfMatch = None) -> HttpResponse:
    token, fields = token_of(request), changes.model_dump(exclude_unset=True)
    if "kind" in fields and fields["kind"] is None:
        raise InvalidFieldError("kind", "kind cannot be null. Leave it out to keep it.")
    _check_team(token, fields, is_new=False)
    edited = edit(find_job(token, name), fields, version=version(if_match))
    return as_response(job_answer(edited))


@router.delete(
    "/{jobname:name}",
    auth=WRITE,
    response=answers(None, status=204),
    summary="Archive a job",
    description="It leaves the living and its queued runs are cancelled; its history stays.",
    operation_id="archive_job",
)
def archive_job(request: HttpRequest, name: JobName, if_match: IfMatch = None) -> HttpResponse:
    archive(find_job(token_of(request), name), version=version(if_match))
    return HttpResponse(status=204)


def _check_team(token: Token, fields: dict[str, Any], *, is_new: bool) -> None:
    """A team's token makes jobs of its team, and gives none away."""
    if token.team is None:
        return
    if is_new:
        fields.setdefault("team", token.team.name)
    if "team" in fields and not may_see(token, token.team_id if fields["team"] == token.team.name else None):
        raise NotAllowedError(f'This token is of the team "{token.team.name}": its jobs cannot be of another.')


def _text(field: str, value: str) -> str:
    if problem := text_fault(value):
        raise InvalidFieldError(field, f"{field} {problem}")
    return value
