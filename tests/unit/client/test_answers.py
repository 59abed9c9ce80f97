"""What answers become: types, errors, pages."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime

import httpx
import pytest

from jobs.client import (
    ApiError,
    ChangedError,
    ClientError,
    ConflictError,
    ConnectionFailedError,
    InProgressError,
    InvalidRequestError,
    KeyReusedError,
    NotAllowedError,
    NotFoundError,
    OperationFailedError,
    OperationOpenError,
    RateLimitedError,
    RetryPolicy,
    TooLargeError,
    UnavailableError,
    UnexpectedAnswerError,
    UnknownTokenError,
)
from jobs.client.errors import Problem
from tests.unit.client.server import KEY, TOKEN, Server, operation, problem
from tests.unit.client.test_retrying import JOB

ONCE = RetryPolicy(tries=1)
STATUSES = {
    400: InvalidRequestError,
    401: UnknownTokenError,
    403: NotAllowedError,
    404: NotFoundError,
    409: ConflictError,
    412: ChangedError,
    413: TooLargeError,
    422: KeyReusedError,
    429: RateLimitedError,
    500: ApiError,
    503: UnavailableError,
}


@pytest.mark.parametrize("status", STATUSES)
def test_each_status_is_an_error_of_its_own(status: int) -> None:
    with pytest.raises(ApiError) as caught:
        Server([problem(status, "some", {"Retry-After": "3"})]).client(ONCE).job("job")
    assert type(caught.value) is STATUSES[status]
    assert (caught.value.status, caught.value.retry_after, str(caught.value)) == (status, 3.0, "Why.")


def test_a_busy_key_is_told_apart_from_other_conflicts() -> None:
    with pytest.raises(InProgressError):
        Server([problem(409, "in-progress")]).client(ONCE).run("job")


def test_an_invalid_request_says_what_is_wrong_with_each_field() -> None:
    faults = [{"field": "cron", "message": "A."}, {"field": "cron", "message": "B."}, {"field": "", "message": "C."}]
    with pytest.raises(InvalidRequestError) as caught:
        Server([problem(400, "invalid-request", errors=faults)]).client().create_job("job", "cron", cron="?")
    assert caught.value.errors == {"cron": "A. B.", "": "C."}


def test_fields_of_a_newer_server_are_kept_aside() -> None:
    job = Server([httpx.Response(200, json={**JOB, "next": "2030-01-01T00:00:00Z", "novelty": 1})]).client().job("job")
    assert job.next == datetime(2030, 1, 1, tzinfo=UTC)
    assert job.document["novelty"] == 1


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, text="<html>A proxy's page</html>"),
        httpx.Response(200, json=["no", "object"]),
        httpx.Response(200, json={"name": "job"}),
        httpx.Response(200, json={**JOB, "next": "soon"}),
        httpx.Response(200, json={**JOB, "next": 5}),
        httpx.Response(302, headers={"Location": "https://elsewhere.test/login"}),
        httpx.Response(200, stream=httpx.ByteStream(b"no gzip"), headers={"Content-Encoding": "gzip"}),
    ],
)
def test_what_is_no_answer_of_the_api_is_told_as_such(answer: httpx.Response) -> None:
    with pytest.raises(UnexpectedAnswerError):
        Server([lambda _: answer]).client().job("job")


@pytest.mark.parametrize("wrong", [{}, {"metadata": {}}, {"metadata": None}, {"error": "dead"}])
def test_what_is_no_operation_is_told_as_such(wrong: dict[str, object]) -> None:
    answer = {**operation("dead"), **wrong} if wrong else {}
    with pytest.raises(UnexpectedAnswerError, match="no operation"):
        Server([httpx.Response(200, json=answer)]).client().operation(f"op_{KEY}")


def test_a_redirect_is_named_and_gets_no_token() -> None:
    server = Server([httpx.Response(302, headers={"Location": "https://elsewhere.test/login"})])
    with pytest.raises(UnexpectedAnswerError, match=r"answered 302.*https://elsewhere\.test/login"):
        server.client().job("job")
    assert [request.url.host for request in server.requests] == ["server.test"]


def test_an_error_page_of_a_proxy_keeps_its_status() -> None:
    with pytest.raises(UnavailableError, match=r"answered 502, not as the API does.*Bad gateway"):
        Server([httpx.Response(502, text="Bad gateway")]).client(ONCE).job("job")


def test_a_list_is_read_page_by_page_as_it_is_needed() -> None:
    pages = [{"jobs": [{**JOB, "name": name}], "next_page_token": token} for name, token in [("a", "t2"), ("b", "")]]
    server = Server([httpx.Response(200, json=page) for page in pages])
    found = server.client().jobs(enabled=True, page_size=1)
    assert next(found).name == "a"
    assert len(server.requests) == 1
    assert [job.name for job in found] == ["b"]
    assert [dict(request.url.params) for request in server.requests] == [
        {"enabled": "true", "page_size": "1"},
        {"enabled": "true", "page_size": "1", "page_token": "t2"},
    ]


def test_a_page_that_is_none_ends_the_list_with_an_error() -> None:
    with pytest.raises(UnexpectedAnswerError, match="no page of jobs"):
        list(Server([httpx.Response(200, json={"items": []})]).client().jobs())


def test_the_token_is_in_no_message_and_no_representation() -> None:
    client = Server([httpx.ConnectError("refused")]).client(ONCE)
    with pytest.raises(ConnectionFailedError) as caught:
        client.job("job")
    assert TOKEN not in f"{caught.value!r} {client!r} {vars(client)!r}"


@pytest.mark.parametrize(
    "error",
    [
        ConnectionFailedError("No answer.", True),
        NotFoundError(Problem(404, "t", "T", "There is none.", {"a": "b"}), 1.0),
        OperationFailedError(f"op_{KEY}", "dead", "boom"),
        OperationOpenError(f"op_{KEY}", "running"),
    ],
)
def test_errors_survive_pickling_as_those_of_tasks_must(error: ClientError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_run_and_wait_gives_the_result() -> None:
    done = operation("succeeded", response={"run": KEY, "result": {"rows": 3}})
    server = Server([httpx.Response(202, json=operation("queued")), httpx.Response(200, json=done)])
    assert server.client().run_and_wait("job", kwargs={"month": "2030-01"}, timeout=5) == {"rows": 3}


def test_run_and_wait_fails_with_the_runs_error() -> None:
    dead = operation("dead", error={"code": "dead", "message": "boom"})
    server = Server([httpx.Response(202, json=operation("queued")), httpx.Response(200, json=dead)])
    with pytest.raises(OperationFailedError, match="dead: boom") as caught:
        server.client().run_and_wait("job")
    assert caught.value.code == "dead"


def test_a_wait_ends_in_time_with_how_the_run_stands() -> None:
    server = Server([httpx.Response(200, json=operation("running"), headers={"Retry-After": "1"})])
    with pytest.raises(TimeoutError, match="running"):
        server.client().wait(f"op_{KEY}", timeout=0)
    assert server.requests[0].url.params["timeout"] == "0.0"


def test_a_busy_server_that_does_not_hold_us_is_asked_again_after_a_pause() -> None:
    running = httpx.Response(200, json=operation("running"), headers={"Retry-After": "0"})
    done = httpx.Response(200, json=operation("succeeded", response={"run": KEY, "result": 1}))
    assert Server([running, running, done]).client().wait(f"op_{KEY}", timeout=30).result == 1


def test_a_read_may_last_as_long_as_the_server_was_asked_to_hold_it() -> None:
    done = httpx.Response(200, json=operation("succeeded", response={"run": KEY, "result": 1}))
    server = Server([done])
    server.client().wait(f"op_{KEY}", timeout=600)
    assert server.requests[0].url.params["timeout"] == "20.0"
    assert server.requests[0].extensions["timeout"]["read"] == 50
