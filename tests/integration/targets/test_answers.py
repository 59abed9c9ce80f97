"""Answers as endpoints really give them: long, slow, broken, and with secrets in them."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys

import pytest

from jobs.domain.answers import Answer, Failure, FailureKind
from jobs.domain.snippets import SNIPPET_BYTES
from jobs.targets.call import Call
from jobs.targets.curl import post
from tests.support.http_calls import call_to
from tests.support.http_server import Behaviour, answer, drip, flood, hang, reset, say, say_and_close, serving

HEAD = b"HTTP/1.1 200 OK\r\n"
GIGABYTE = 1024**3
PROGRAM = """
import os, resource, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "scheduler_project.settings"
import django
django.setup()
from django.conf import settings
settings.BEATKEEPER = {"EGRESS_ALLOW": ["127.0.0.1/32"]}
from tests.support.http_calls import call_to, post_through_multi
from jobs.targets.curl import post
post(call_to(sys.argv[1]))
post_through_multi(call_to(sys.argv[1]))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in range(5):
    assert post(call_to(sys.argv[2])).is_cut
    assert post_through_multi(call_to(sys.argv[2])).is_cut
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""

pytestmark = pytest.mark.usefixtures("loopback")


def _post(behave: Behaviour, **options: object) -> Answer | Failure:
    with serving(behave) as server:
        return post(call_to(server.url(), **options))  # type: ignore[arg-type]  # by the caller


def _bomb() -> bytes:
    packed = gzip.compress(bytes(10 * 1024**2))
    return HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % (len(packed) * 100) + packed * 100


@pytest.mark.parametrize(
    "behave",
    [
        flood(HEAD + b"Content-Length: %d\r\n\r\n" % GIGABYTE, total=GIGABYTE),
        flood(HEAD + b"Connection: close\r\n\r\n", total=GIGABYTE),
        flood(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + bytes(65536) + b"\r\n", total=GIGABYTE),
        say(_bomb()),
    ],
    ids=["gigabyte", "gigabyte without length", "gigabyte in chunks", "gzip bomb"],
)
def test_b138_a_giant_answer_is_read_to_a_bound_and_its_status_decides(behave: Behaviour) -> None:
    with serving(answer()) as small, serving(behave) as server:
        grown = subprocess.run(
            [sys.executable, "-c", PROGRAM, small.url(), server.url()], capture_output=True, text=True, check=True
        )

    assert int(grown.stdout) < 20 * 1024  # kB, over ten such answers


def test_b138_of_a_long_text_the_beginning_is_kept() -> None:
    result = _post(answer("200 OK", b"abc " * 100_000, "Content-Type: text/plain"))

    assert isinstance(result, Answer)
    assert (result.status, result.is_cut) == (200, True)
    assert result.text.startswith("abc abc")
    assert len(result.text.encode()) <= SNIPPET_BYTES


def test_b138_an_encoded_answer_is_named_and_not_decoded() -> None:
    with serving(answer("200 OK", gzip.compress(b"hello"), "Content-Encoding: gzip")) as server:
        result = post(call_to(server.url()))

    assert isinstance(result, Answer)
    assert "bytes of gzip" in result.text
    assert "accept-encoding" not in server.requests[0].headers


@pytest.mark.parametrize(
    "behave",
    [
        flood(HEAD, b"X-Filler: " + b"x" * 1000 + b"\r\n", total=GIGABYTE),
        flood(HEAD + b"X-Filler: ", total=GIGABYTE),
        flood(b"", b"HTTP/1.1 102 Processing\r\n\r\n" * 100, total=GIGABYTE),
        flood(HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X-Filler: x\r\n" * 100, total=GIGABYTE),
    ],
    ids=["many headers", "an endless header", "endless informational answers", "endless trailers"],
)
def test_endless_headers_end_the_call(behave: Behaviour) -> None:
    result = _post(behave)

    assert isinstance(result, Failure)
    assert result.kind is FailureKind.PROTOCOL


@pytest.mark.parametrize(
    ("behave", "kind", "said"),
    [
        (say_and_close(b"hello\n"), FailureKind.PROTOCOL, "HTTP/0.9"),
        (say_and_close(HEAD + b"Content-Length: 9\r\n\r\nhalf"), FailureKind.CONNECTION, "5 bytes missing"),
        (reset(HEAD + b"Content-Length: 9\r\n\r\nhalf"), FailureKind.CONNECTION, "reset by peer"),
        (say_and_close(b""), FailureKind.CONNECTION, "Empty reply"),
        (say(HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nok"), FailureKind.PROTOCOL, "chunk"),
        (say(HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n"), FailureKind.PROTOCOL, "Transfer-Encoding"),
        (say(HEAD + b"Content-Length: -1\r\n\r\n"), FailureKind.PROTOCOL, "Content-Length"),
        (say(HEAD + b"no header\r\n\r\n"), FailureKind.PROTOCOL, "colon"),
        (say(b"HTTP/1.1 200 O\0K\r\n\r\n"), FailureKind.PROTOCOL, "NUL"),
        (say(b"HTTP/1.1 99 Odd\r\n\r\n"), FailureKind.PROTOCOL, "answer"),
    ],
)
def test_a_broken_answer_is_a_clear_failure(behave: Behaviour, kind: FailureKind, said: str) -> None:
    result = _post(behave)

    assert isinstance(result, Failure)
    assert result.kind is kind
    assert said in result.message


@pytest.mark.parametrize(
    ("raw", "status", "reason"),
    [
        (b"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", 200, ""),
        (b"HTTP/1.1 204 No Content\r\n\r\n", 204, "No Content"),
        (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 20\r\n\r\n", 304, "Not Modified"),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", 201, "Created"),
        (b"HTTP/1.1 103 Early\r\nRetry-After: 9\r\n\r\nHTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", 503, "Busy"),
        (b"HTTP/1.0 200 Fine\r\nContent-Length: 0\r\n\r\n", 200, "Fine"),
    ],
)
def test_an_answer_without_a_body_is_complete(raw: bytes, status: int, reason: str) -> None:
    result = _post(say(raw))

    assert isinstance(result, Answer)
    assert (result.status, result.reason, result.text, result.retry_after) == (status, reason, "", None)


@pytest.mark.parametrize(
    ("behave", "message"),
    [
        (hang(), "No answer within 0.3 s."),
        (drip(HEAD + b"\r\n", every=0.1), "No answer within 0.3 s."),
        (hang(HEAD + b"Content-Length: 5\r\n\r\nhi"), "The answer did not end within 0.3 s."),
        (drip(HEAD + b"Content-Length: 100\r\n\r\n" + b"x" * 100, every=0.005), "The answer did not end within 0.3 s."),
    ],
    ids=["silent", "a status line byte by byte", "half an answer", "a body byte by byte"],
)
def test_one_deadline_bounds_the_whole_call(behave: Behaviour, message: str) -> None:
    result = _post(behave, seconds=0.3)

    assert isinstance(result, Failure)
    assert (result.kind, result.message) == (FailureKind.TIMED_OUT, message)


def test_secrets_are_nowhere_in_what_is_kept() -> None:
    body = json.dumps({"headers": {"Authorization": "Bearer s3cr3t-token"}, "password": "hunter2"}).encode()
    headers = ("Content-Type: application/json; x=s3cr3t-token",)

    result = _post(answer("200 Hello s3cr3t-token", body, *headers), secrets=("Bearer s3cr3t-token", "s3cr3t-token"))

    assert isinstance(result, Answer)
    assert "s3cr3t" not in repr(result)
    assert "hunter2" not in repr(result)


def test_headers_and_body_arrive_as_they_were_given() -> None:
    headers = (("X-Empty", ""), ("X-Blank", "  "), ("X-Letters", "grün"), ("Content-Type", "application/json"))
    body = b"\x00" + b'{"run": 1}' * 10_000
    with serving(answer()) as server:
        result = post(Call(server.url(), headers, body, 20.0))

    request = server.requests[0]
    assert isinstance(result, Answer)
    assert (request.line, request.body) == ("POST /hook HTTP/1.1", body)
    assert request.headers["x-empty"] == request.headers["x-blank"] == ""
    assert request.headers["x-letters"].encode("latin-1").decode() == "grün"
    assert "expect" not in request.headers
    assert "content-encoding" not in request.headers


def test_running_out_of_sockets_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(24, "Too many open files")

    with serving(answer()) as server:
        monkeypatch.setattr("jobs.targets.egress._Lent", refuse)
        result = post(call_to(server.url()))

    assert isinstance(result, Failure)
    assert (result.kind, server.hits) == (FailureKind.CONNECTION, 0)
    assert "Too many open files. Raise the limit (ulimit -n)" in result.message


def test_where_an_answer_points_to_is_kept_masked_and_short() -> None:
    found = _post(
        answer("302 Found", b"", f"Location: https://elsewhere.example/?token=abc&key=s3cr3t&more={'m' * 5000}"),
        secrets=("s3cr3t",),
    )
    assert isinstance(found, Answer)
    assert found.location.startswith("https://elsewhere.example/?token=•••&key=•••&more=mmm")
    assert len(found.location.encode()) <= 1000
