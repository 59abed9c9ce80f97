"""B139: what each answer, and each way of having none, does to the attempt. Against real servers."""

from __future__ import annotations

import socket
from collections.abc import Callable
from datetime import timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from jobs import clock
from jobs.domain.answers import Answer, Failure, FailureKind, outcome_of
from jobs.domain.outcomes import Kind, Outcome
from jobs.targets.call import Call
from jobs.targets.curl import post
from tests.support.certificates import self_signed, server_context
from tests.support.http_calls import call_to, post_through_multi
from tests.support.http_server import Behaviour, answer, hang, reset, serving

CAP = 60.0
Make = Callable[[Call], Answer | Failure]

pytestmark = pytest.mark.usefixtures("loopback")


@pytest.fixture(params=[post, post_through_multi])
def make(request: pytest.FixtureRequest) -> Make:
    """Both ways of making a call."""
    made: Make = request.param
    return made


def _outcome(result: Answer | Failure) -> Outcome:
    return outcome_of(result, retry_after_cap=CAP, limit=65536)


@pytest.mark.parametrize(
    ("status", "headers", "kind", "delay"),
    [
        ("200 OK", (), Kind.SUCCEEDED, None),
        ("201 Created", (), Kind.SUCCEEDED, None),
        ("204 No Content", (), Kind.SUCCEEDED, None),
        ("301 Moved Permanently", ("Location: /elsewhere",), Kind.REJECTED, None),
        ("302 Found", ("Location: /elsewhere",), Kind.REJECTED, None),
        ("304 Not Modified", (), Kind.REJECTED, None),
        ("307 Temporary Redirect", ("Location: /elsewhere", "Retry-After: 3"), Kind.REJECTED, None),
        ("400 Bad Request", (), Kind.REJECTED, None),
        ("401 Unauthorized", ('WWW-Authenticate: Basic realm="x"',), Kind.REJECTED, None),
        ("404 Not Found", (), Kind.REJECTED, None),
        ("408 Request Timeout", (), Kind.FAILED, None),
        ("410 Gone", (), Kind.REJECTED, None),
        ("425 Too Early", (), Kind.FAILED, None),
        ("429 Too Many Requests", ("Retry-After: 3",), Kind.FAILED, 3.0),
        ("429 Too Many Requests", ("Retry-After: 86400",), Kind.FAILED, CAP),
        ("429 Too Many Requests", ("Retry-After: soon",), Kind.FAILED, None),
        ("500 Internal Server Error", (), Kind.FAILED, None),
        ("503 Service Unavailable", ("retry-after: 7",), Kind.FAILED, 7.0),
    ],
)
def test_b139_each_status_has_its_outcome(
    status: str, headers: tuple[str, ...], kind: Kind, delay: float | None, make: Make
) -> None:
    with serving(answer(status, b"", *headers)) as server:
        result = make(call_to(server.url()))

    outcome = _outcome(result)
    assert isinstance(result, Answer)
    assert f"{result.status} {result.reason}" == status
    assert (outcome.kind, outcome.delay, len(server.requests)) == (kind, delay, 1)


def test_b139_a_date_in_retry_after_is_honoured(make: Make) -> None:
    moment = format_datetime(clock.utcnow() + timedelta(seconds=40), usegmt=True)
    with serving(answer("503 Service Unavailable", b"", f"Retry-After: {moment}")) as server:
        outcome = _outcome(make(call_to(server.url())))

    assert outcome.kind is Kind.FAILED
    assert 0 < (outcome.delay or 0) <= 40


@pytest.mark.parametrize(
    ("behave", "failure", "kind"),
    [(reset(), FailureKind.CONNECTION, Kind.BROKEN_OFF), (hang(), FailureKind.TIMED_OUT, Kind.TIMED_OUT)],
    ids=["reset", "timeout"],
)
def test_b139_no_answer_is_tried_again(behave: Behaviour, failure: FailureKind, kind: Kind, make: Make) -> None:
    with serving(behave) as server:
        result = make(call_to(server.url(), seconds=0.5))

    assert isinstance(result, Failure)
    assert (result.kind, _outcome(result).kind) == (failure, kind)


def test_b139_a_refused_connection_is_tried_again(make: Make) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    result = make(call_to(f"http://127.0.0.1:{port}/"))

    assert isinstance(result, Failure)
    assert (result.kind, _outcome(result).kind) == (FailureKind.CONNECTION, Kind.FAILED)
    assert "Connection refused" in result.message


def test_b139_a_certificate_that_nobody_vouches_for_is_never_accepted(make: Make, tmp_path: Path) -> None:
    with serving(answer(), tls=server_context(self_signed(tmp_path))) as server:
        result = make(call_to(server.url()))

    assert isinstance(result, Failure)
    assert (result.kind, _outcome(result).kind) == (FailureKind.TLS, Kind.FAILED)
    assert server.requests == []


def test_b139_the_key_and_the_body_are_the_same_on_each_attempt(make: Make) -> None:
    with serving(answer("503 Service Unavailable")) as server:
        call = call_to(server.url())
        make(call)
        make(call)

    assert [(item.headers["idempotency-key"], item.body) for item in server.requests] == [
        ("1-2", b'{"run": "1-2"}')
    ] * 2
