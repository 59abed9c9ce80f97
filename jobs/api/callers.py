"""Who calls: the bearer token of a request, its scopes and its team."""

from __future__ import annotations

import re

from django.db.models import QuerySet
from django.http import HttpRequest
from ninja.security.http import HttpAuthBase

from jobs.api import rate
from jobs.api.known_tokens import known_tokens
from jobs.domain.scopes import Scope, holds
from jobs.errors import NotAllowedError, UnknownCallerError
from jobs.models import Job, JobRun, Token

_BEARER = re.compile(r"bearer +([\x21-\x7e]+)", re.IGNORECASE)


class Allowed(HttpAuthBase):
    """Lets a token with the scope through, at its rate; ``request.auth`` is the token then."""

    openapi_scheme = "bearer"

    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self._scope = scope

    def __call__(self, request: HttpRequest) -> Token:
        token = caller(request)
        rate.count(token)
        if not holds(token.scopes, self._scope):
            raise NotAllowedError(f'This token has no scope "{self._scope}"; it has {", ".join(token.scopes)}.')
        return token


def caller(request: HttpRequest) -> Token:
    """The token of a request; UnknownCallerError without one that lives."""
    header = request.headers.get("Authorization", "")
    found = _BEARER.fullmatch(header.strip())
    token = known_tokens.find(found[1]) if found else None
    if token is None:
        why = "is unknown, expired or revoked" if found else "is missing: send the header Authorization: Bearer TOKEN"
        raise UnknownCallerError(f"The API token {why}.")
    return token


def may_see(token: Token, team_id: int | None) -> bool:
    """Whether the token reaches what belongs to this team."""
    return token.team_id is None or token.team_id == team_id


def jobs_of(token: Token) -> QuerySet[Job]:
    """The living jobs that the token reaches."""
    jobs = Job.objects.living()
    return jobs if token.team_id is None else jobs.filter(team_id=token.team_id)


def runs_of(token: Token) -> QuerySet[JobRun]:
    """The runs of jobs that the token reaches, archived ones too."""
    runs = JobRun.objects.select_related("job")
    return runs if token.team_id is None else runs.filter(job__team_id=token.team_id)


def token_of(request: HttpRequest) -> Token:
    """The token that a route let in."""
    token: Token = request.auth  # type: ignore[attr-defined]  # set by Allowed
    return token


READ, WRITE, RUN = Allowed(Scope.JOBS_READ), Allowed(Scope.JOBS_WRITE), Allowed(Scope.RUNS_RUN)
