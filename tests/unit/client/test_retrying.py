"""When a request is sent again, how often, and how long it waits before."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from jobs.client import ApiError, ConnectionFailedError, InvalidInputError, RateLimitedError, RetryPolicy
from jobs.client.errors import Problem, api_error
from jobs.client.retrying import Retrying
from tests.unit.client.server import Answer, Server, operation, problem

REFUSED = httpx.ConnectError("refused")
BROKEN_OFF = httpx.ReadError("reset")
UNAVAILABLE = problem(503, "unavailable")
BUSY = problem(409, "in-progress", {"Retry-After": "0"})
LIMITED = problem(429, "rate-limited", {"Retry-After": "0"})
ACCEPTED = httpx.Response(202, json=operation("queued"))
JOB = {
    **dict.fromkeys(("note", "schedule", "kind", "task", "state"), ""),
    **dict.fromkeys(("next", "endpoint", "team")),
    "name": "job",
    "enabled": True,
    "version": 1,
    "etag": '"v1"',
}


class Time:
    """A clock that only pauses move."""

    def __init__(self) -> None:
        self.now, self.pauses = 0.0, list[float]()

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


def retrying(policy: RetryPolicy, time: Time, part: float = 1.0) -> Retrying:
    return Retrying(policy, monotonic=lambda: time.now, pause=time.pause, part=lambda: part)


def failing(error: ApiError, times: int) -> Callable[[], str]:
    left = iter(range(times))

    def send() -> str:
        if next(left, None) is not None:
            raise error
        return "answer"

    return send


def error(status: int, retry_after: float | None = None) -> ApiError:
    return api_error(Problem(status, "about:blank", "T", "Why."), retry_after)


@pytest.mark.parametrize("answer", [REFUSED, BROKEN_OFF, UNAVAILABLE, BUSY, LIMITED])
def test_a_post_is_sent_again_with_the_same_key_and_body(answer: Answer) -> None:
    server = Server([answer, answer, ACCEPTED])
    assert server.client().run("job", kwargs={"a": 1}).status == "queued"
    keys = {request.headers["Idempotency-Key"] for request in server.requests}
    assert len(keys) == 1
    assert {request.content for request in server.requests} == {b'{"kwargs": {"a": 1}, "force": false}'}
    assert len(server.requests) == 3


def test_each_call_has_a_key_of_its_own_unless_it_is_given() -> None:
    server = Server([ACCEPTED] * 4)
    client = server.client()
    for key in (None, None, "mine", "mine"):
        client.run("job", key=key)
    first, second, *given = [request.headers["Idempotency-Key"] for request in server.requests]
    assert first != second
    assert given == ["mine", "mine"]


@pytest.mark.parametrize("answer", [BROKEN_OFF, UNAVAILABLE])
def test_a_change_that_may_have_been_made_is_not_sent_again(answer: Answer) -> None:
    server = Server([answer])
    with pytest.raises((ConnectionFailedError, ApiError)):
        server.client().edit_job("job", etag='"v1"', cron="* * * * *")
    assert len(server.requests) == 1


@pytest.mark.parametrize("answer", [REFUSED, LIMITED])
def test_a_change_that_was_surely_not_made_is_sent_again(answer: Answer) -> None:
    server = Server([answer, httpx.Response(200, json=JOB)])
    assert server.client().edit_job("job", etag='"v1"', cron="* * * * *").name == "job"


@pytest.mark.parametrize(("status", "name"), [(400, "invalid-request"), (409, "conflict"), (500, "internal")])
def test_what_another_try_cannot_mend_is_told_at_once(status: int, name: str) -> None:
    server = Server([problem(status, name)])
    with pytest.raises(ApiError) as caught:
        server.client().run("job")
    assert caught.value.status == status
    assert len(server.requests) == 1


def test_after_the_last_try_the_error_is_the_callers() -> None:
    server = Server([REFUSED] * 9)
    with pytest.raises(ConnectionFailedError, match="refused"):
        server.client(RetryPolicy(tries=3, base_seconds=0)).job("job")
    assert len(server.requests) == 3


def test_pauses_grow_to_their_cap() -> None:
    time, policy = Time(), RetryPolicy(tries=6, base_seconds=0.5, cap_seconds=5)
    assert retrying(policy, time).call(failing(error(503), 5), is_repeatable=True) == "answer"
    assert time.pauses == [1, 2, 4, 5, 5]


def test_a_pause_is_a_random_part_but_no_shorter_than_retry_after() -> None:
    time = Time()
    assert retrying(RetryPolicy(), time, part=0.25).call(failing(error(503), 2), is_repeatable=True) == "answer"
    assert time.pauses == [0.25, 0.5]
    time = Time()
    assert retrying(RetryPolicy(), time).call(failing(error(429, 7.0), 2), is_repeatable=False) == "answer"
    assert time.pauses == [7, 7]


def test_it_does_not_wait_beyond_the_total_time() -> None:
    time = Time()
    with pytest.raises(RateLimitedError):
        retrying(RetryPolicy(total_seconds=20), time).call(failing(error(429, 7.0), 9), is_repeatable=True)
    assert time.pauses == [7, 7]


@pytest.mark.parametrize("wrong", [{"tries": 0}, {"total_seconds": -1.0}, {"base_seconds": float("nan")}])
def test_a_policy_that_cannot_work_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InvalidInputError, match=next(iter(wrong))):
        RetryPolicy(**wrong)  # type: ignore[arg-type]  # that is the test
