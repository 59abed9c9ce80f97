"""``/v1/operations``: poll one, wait for it, cancel it."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from jobs.api.application import answers
from jobs.api.callers import READ, RUN, token_of
from jobs.api.names import OperationName, operation_key
from jobs.api.once import IdempotencyKey, as_response, once
from jobs.api.operation import operation_answer
from jobs.api.reading import find_run
from jobs.api.schemas.runs import OperationOut
from jobs.api.waiting import wait_for
from jobs.services.answer_once import Answer
from jobs.services.cancel import cancel

router = Router(tags=["operations"])
_OPERATION = "/{operation:name}"


@router.get(
    _OPERATION, auth=READ, response=answers(OperationOut), summary="Read an operation", operation_id="get_operation"
)
def get_operation(request: HttpRequest, name: OperationName) -> HttpResponse:
    return as_response(operation_answer(find_run(token_of(request), operation_key(name))))


@router.get(
    f"{_OPERATION}:wait",
    auth=READ,
    response=answers(OperationOut),
    summary="Wait for an operation",
    description=(
        "Answers when it is done, or after `timeout` seconds as it stands then. Busy servers answer sooner: look at "
        "`done`, and ask again."
    ),
    operation_id="wait_operation",
)
def wait_operation(
    request: HttpRequest,
    name: OperationName,
    timeout: Annotated[float, Query(ge=0, le=60, description="Seconds.")] = 20,
) -> HttpResponse:
    token, key = token_of(request), operation_key(name)
    run = wait_for(lambda: find_run(token, key), timeout)
    return as_response(operation_answer(run))


@router.post(
    f"{_OPERATION}:cancel",
    auth=RUN,
    response=answers(OperationOut),
    summary="Cancel an operation",
    description="The run of a queued one ends at once; a running one is asked to end. 409 when it is done.",
    operation_id="cancel_operation",
)
def cancel_operation(request: HttpRequest, name: OperationName, idempotency_key: IdempotencyKey = None) -> HttpResponse:
    token, key = token_of(request), operation_key(name)

    def work() -> Answer:
        find_run(token, key)
        cancel(key)
        return operation_answer(find_run(token, key))

    return once(request, idempotency_key, work, check=lambda: find_run(token, key))
