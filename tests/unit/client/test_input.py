"""Bad input is refused in words, and nothing is sent."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import httpx
import pytest

from jobs.client import Client, InvalidInputError
from tests.unit.client.server import KEY, TOKEN, Server, operation
from tests.unit.client.test_retrying import ACCEPTED, JOB

NAIVE = datetime(2030, 1, 1)
AWARE = datetime(2030, 1, 1, tzinfo=UTC)
Call = Callable[[Client], Any]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda c: c.job("Nightly Report"), "'Nightly Report' is not the name of a job"),
        (lambda c: c.job(".."), "not the name of a job"),
        (lambda c: c.run("a/b"), "not the name of a job"),
        (lambda c: c.run_of("7"), "'7' is not the key of a run"),
        (lambda c: c.operation(KEY), "not the name of an operation"),
        (lambda c: list(c.dead_runs("x")), "not the name of a group"),
        (lambda c: c.run("job", at=NAIVE), "at is a datetime with a time zone"),
        (lambda c: c.run("job", at=AWARE, delay=5), "delay or at, not both"),
        (lambda c: c.run("job", delay=-1), "delay is a number of seconds from 0 on"),
        (lambda c: c.run("job", delay=float("nan")), "delay"),
        (lambda c: c.run("job", kwargs={"when": AWARE}), "cannot be sent as JSON: .*datetime"),
        (lambda c: c.run("job", body=float("nan")), "cannot be sent as JSON"),
        (lambda c: c.run("job", key="two words"), "key is 1 to 255 visible ASCII"),
        (lambda c: c.run("job", key="k" * 256), "key is 1 to 255"),
        (lambda c: c.edit_job("job", etag="ü"), "etag is that of a job"),
        (lambda c: c.pause("job", until=NAIVE), "until is a datetime with a time zone"),
        (lambda c: c.wait(f"op_{KEY}", timeout=-1), "timeout is a number of seconds"),
        (lambda c: c.create_job("job", "once", once_at=NAIVE), "once_at is a datetime with a time zone"),
    ],
)
def test_what_cannot_be_sent_is_refused(call: Call, words: str) -> None:
    server = Server([])
    with pytest.raises(InvalidInputError, match=words):
        call(server.client())
    assert server.requests == []


@pytest.mark.parametrize(
    "url", ["", "server.test", "ftp://server.test", "http://", "http://h:port", "http://a b", None]
)
def test_an_address_that_is_none_is_refused(url: Any) -> None:
    with pytest.raises(InvalidInputError, match="no server's address"):
        Client(url, TOKEN)


def test_a_user_in_the_address_is_refused_without_repeating_it() -> None:
    with pytest.raises(InvalidInputError) as caught:
        Client("https://me:secret@server.test", TOKEN)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("token", ["", "two words", "line\nbreak", "ü", None])
def test_a_token_that_is_none_is_refused_without_repeating_it(token: Any) -> None:
    with pytest.raises(InvalidInputError) as caught:
        Client("https://server.test", token)
    assert not token or token not in str(caught.value)


@pytest.mark.parametrize("end", ["", "/", "/v1", "/v1/"])
def test_the_address_may_end_in_the_apis_own_path(end: str) -> None:
    server = Server([httpx.Response(200, json=JOB)])
    with Client(f"http://server.test/below{end}", TOKEN, transport=httpx.MockTransport(server)) as client:
        client.job("job")
    assert str(server.requests[0].url) == "http://server.test/below/v1/jobs/job"


def test_times_of_a_definition_are_sent_as_iso_8601() -> None:
    server = Server([httpx.Response(201, json=JOB)])
    server.client().create_job("job", "calendar", anchor_date=date(2030, 1, 31), start_at=AWARE, end_at=None)
    sent = b'"anchor_date": "2030-01-31", "start_at": "2030-01-01T00:00:00+00:00", "end_at": null'
    assert sent in server.requests[0].content


def test_a_body_of_null_is_sent_and_one_that_is_not_given_is_not() -> None:
    server = Server([ACCEPTED, ACCEPTED])
    client = server.client()
    client.run("job", body=None)
    client.run("job", delay=timedelta(minutes=1), webhook="billing")
    assert [request.content for request in server.requests] == [
        b'{"force": false, "body": null}',
        b'{"force": false, "webhook": "billing", "delay_seconds": 60.0}',
    ]


def test_a_closed_client_sends_nothing() -> None:
    server = Server([httpx.Response(200, json=operation("queued"))])
    with server.client() as client:
        pass
    with pytest.raises(RuntimeError, match="closed"):
        client.operation(f"op_{KEY}")
