"""``/v1/dead-letters``: dead runs by their error; queue them again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Annotated

from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Query, Router

from jobs.api.application import answers
from jobs.api.callers import READ, RUN, token_of
from jobs.api.names import GroupName
from jobs.api.once import IdempotencyKey, once
from jobs.api.paging import page, read_token
from jobs.api.reading import Fields, PageSize, PageToken, find_job, masked, no_run, require_reach, run_answer
from jobs.api.schemas.runs import DeadGroupsOut, ReplayIn, ReplayOut, RunsOut
from jobs.documents import iso
from jobs.domain.messages import RunKey
from jobs.errors import InvalidFieldError, NotAllowedError
from jobs.models import Job, Token
from jobs.services.answer_once import Answer
from jobs.services.replay import ReplayReport, replay_group, replay_selected
from jobs.store import dead
from jobs.store.clock import database_now
from jobs.store.dead import DeadGroup, Window

router = Router(tags=["dead letters"])
replays = Router(tags=["dead letters"])
Days = Annotated[int, Query(ge=1, le=400, description="Slots of so many days back.")]


@router.get(
    "",
    auth=READ,
    response=answers(DeadGroupsOut),
    summary="Dead runs by error",
    description="Not for a team's token, since a group may hold runs of others: list runs with status dead.",
    operation_id="list_dead_groups",
)
def list_groups(request: HttpRequest, days: Days = 7, limit: Annotated[int, Query(ge=1, le=100)] = 50) -> HttpResponse:
    _refuse_team(token_of(request))
    window = Window.of_days(days, now=database_now())
    groups = dead.describe(dead.group_names(window, limit=limit), window)
    return JsonResponse({"groups": [_group_document(group) for group in groups]})


@router.get(
    "/{group:group}",
    auth=READ,
    response=answers(RunsOut),
    summary="Runs of a group, newest first",
    operation_id="list_dead_runs",
)
def list_runs(
    request: HttpRequest,
    group: GroupName,
    days: Days = 7,
    page_size: PageSize = 100,
    page_token: PageToken = "",
    fields: Fields = "",
) -> HttpResponse:
    token = token_of(request)
    before = read_token(page_token, (group, days))
    runs = dead.dead_runs(
        group, Window.of_days(days, now=database_now()), before=RunKey.parse(before) if before else None
    )
    if token.team_id is not None:
        runs = runs.filter(job__team_id=token.team_id)
    newest = list(runs.select_related("job")[: page_size + 1])
    found, next_token = page(newest, page_size, (group, days), lambda run: str(run.key))
    return JsonResponse({"runs": [masked(run_answer(run), fields) for run in found], "next_page_token": next_token})


@replays.post(
    "",
    auth=RUN,
    response=answers(ReplayOut),
    summary="Queue dead runs again",
    description="Some by their keys, or those of a group, oldest first; at most `rate` of them are due a second.",
    operation_id="replay_dead_runs",
)
def replay_runs(request: HttpRequest, what: ReplayIn, idempotency_key: IdempotencyKey = None) -> HttpResponse:
    if (what.runs is None) == (what.group is None):
        raise InvalidFieldError("runs", "Send runs, or a group; not both.")
    token = token_of(request)

    def work() -> Answer:
        report = _replay_selected(token, what.runs, what.rate) if what.runs else _replay_group(token, what)
        return Answer(200, asdict(report))

    def check() -> None:
        if what.job is not None:
            require_reach(token, what.job)

    return once(request, idempotency_key, work, check=check)


def _replay_group(token: Token, what: ReplayIn) -> ReplayReport:
    if what.job is None:
        _refuse_team(token)
    job = find_job(token, what.job) if what.job else None
    return replay_group(what.group or "", job=job, since=what.since, limit=what.limit, rate=what.rate, who=str(token))


def _replay_selected(token: Token, keys: Sequence[RunKey], rate: float | None) -> ReplayReport:
    reached = set(_jobs_reached(token, keys))
    report = replay_selected([key for key in keys if key.job_id in reached], rate=rate, who=str(token))
    report.refused += (no_run(key) for key in dict.fromkeys(keys) if key.job_id not in reached)
    return report


def _jobs_reached(token: Token, keys: Sequence[RunKey]) -> Iterable[int]:
    """Which of these runs' jobs are the token's, archived ones too."""
    jobs = Job.objects.filter(pk__in={key.job_id for key in keys if key.job_id < 2**63})
    if token.team_id is not None:
        jobs = jobs.filter(team_id=token.team_id)
    return jobs.values_list("pk", flat=True)


def _refuse_team(token: Token) -> None:
    if token.team is not None:
        raise NotAllowedError(
            f'This token is of the team "{token.team.name}", and groups hold runs of all teams. Name a job of the team.'
        )


def _group_document(group: DeadGroup) -> dict[str, object]:
    return {
        "group": group.group,
        "error": group.error,
        "runs": group.runs,
        "jobs": group.jobs,
        "first_at": iso(group.first_at),
        "last_at": iso(group.last_at),
        "newest_run": str(group.newest),
    }
