"""Turn a team's own Django or ninja view into one that starts a job and answers 202 with its operation."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from django.core.exceptions import ValidationError
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse

from jobs.api import problems
from jobs.api.callers import Allowed, jobs_of, token_of
from jobs.api.once import once
from jobs.api.operation import accepted
from jobs.api.parser import read_json, require_length
from jobs.api.reading import require_reach
from jobs.domain.scopes import Scope
from jobs.domain.states import Trigger
from jobs.errors import BeatkeeperError, NotFoundError
from jobs.models import Job
from jobs.services.answer_once import Answer, answer_whole
from jobs.services.dispatch_soon import publish_soon
from jobs.services.run import run_job

__all__ = ["long_running", "read_json"]
View = Callable[..., Any]
_TOLD = (BeatkeeperError, ValidationError, OperationalError, InterfaceError)


class _RefusedError(Exception):
    """The view has answered by itself: nothing is to be run or kept."""

    def __init__(self, response: HttpResponse) -> None:
        super().__init__()
        self.response = response


def long_running(job: str, *, scope: Scope | None = Scope.RUNS_RUN) -> Callable[[View], View]:
    """The view's answer becomes 202 with the operation of a new run of ``job``.

    What the view returns are the run's keyword arguments, or its body when the job calls an endpoint; a response that
    it returns (a refusal, say) is passed on. View, run and ``Idempotency-Key`` share one transaction: what the view
    writes is there exactly when the run is. The caller needs a token with ``scope``; ``None`` leaves that to the view,
    and keys then belong to the session's user.
    """

    def decorate(view: View) -> View:
        @functools.wraps(view)
        def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            try:
                require_length(request)
                owner = _owner(request, scope)
                work = functools.partial(_work, job, scope, view, request, *args, **kwargs)
                check = functools.partial(_require_reach, job, scope, request)
                return once(request, _key(request), functools.partial(answer_whole, work), check=check, owner=owner)
            except _RefusedError as refused:
                return refused.response
            except _TOLD as error:
                return problems.respond(request, error)

        answered.__signature__ = _signature(view)  # type: ignore[attr-defined]  # PEP 362
        # A token is no cookie: no other site can make a browser send it.
        answered.csrf_exempt = scope is not None  # type: ignore[attr-defined]  # read by Django's middleware
        return answered

    return decorate


def _signature(view: View) -> inspect.Signature:
    """With types, not their names, which ninja would look up in this module; with names where some are nowhere."""
    try:
        return inspect.signature(view, eval_str=True)
    except NameError:
        return inspect.signature(view)


def _work(name: str, scope: Scope | None, view: View, request: HttpRequest, *args: Any, **kwargs: Any) -> Answer:
    """A token of a team starts the jobs of that team alone."""
    jobs = Job.objects.living() if scope is None else jobs_of(token_of(request))
    return _run(name, jobs.filter(name=name).first(), view(request, *args, **kwargs))


def _require_reach(name: str, scope: Scope | None, request: HttpRequest) -> None:
    if scope is not None:
        require_reach(token_of(request), name)


def _owner(request: HttpRequest, scope: Scope | None) -> str:
    if scope is not None:
        request.auth = Allowed(scope)(request)  # type: ignore[attr-defined]  # as a route of ours has it
        return token_of(request).owner
    user = getattr(request, "user", None)
    return f"user:{user.pk}" if user is not None and user.is_authenticated else "anyone"


def _key(request: HttpRequest) -> str | None:
    return request.headers.get("Idempotency-Key")


def _run(name: str, job: Job | None, found: Any) -> Answer:
    if isinstance(found, HttpResponse):
        raise _RefusedError(found)
    if job is None:
        raise NotFoundError(f'There is no job "{name}", which this view starts, or this token does not reach it.')
    payload = {"body" if job.endpoint_id is not None else "kwargs": found}
    return accepted(run_job(job, payload=payload, trigger=Trigger.API, publish=publish_soon))
