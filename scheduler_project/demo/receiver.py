"""Another team's web service, for the demo's HTTP jobs to call. A WSGI application of one process and many threads.

As a receiver should, it trusts a call only once its signature is verified, and does what is asked once a run key. What
it knows is in memory: started anew, it has seen nothing.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any, NamedTuple
from wsgiref.types import StartResponse, WSGIEnvironment

from scheduler_project.demo.received import Call, Received
from scheduler_project.demo.receiver_page import page
from scheduler_project.demo.verify import verify

SECRET_VARIABLE = "BEATKEEPER_DEMO_SECRET"  # noqa: S105  # the variable's name
FLAKY_FAILURES = 2
RETRY_AFTER_SECONDS = 3
SLOW_SECONDS = 4.0
_MOST_BYTES = 256 * 1024
_LONGEST_SHOWN = 100
_wait = threading.Event().wait


class Answer(NamedTuple):
    """What is sent back."""

    status: HTTPStatus
    document: Mapping[str, Any]
    headers: tuple[tuple[str, str], ...] = ()


class Receiver:
    """The application. ``pause`` waits so many seconds; tests give another."""

    def __init__(self, secret: str, *, pause: Callable[[float], object] = _wait) -> None:
        self._secret = secret
        self._pause = pause
        self._received = Received()
        self._paths: Mapping[str, Callable[[Call], Answer]] = {
            "/ok": self._effect,
            "/flaky": self._flaky,
            "/slow": self._slow,
            "/gone": lambda _: Answer(HTTPStatus.GONE, {"error": "This endpoint was shut down."}),
        }

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] == "GET" and environ["PATH_INFO"] == "/":
            body, kind, answer = page(self._received.last()), "text/html; charset=utf-8", Answer(HTTPStatus.OK, {})
        else:
            answer = self._answer(environ)
            body, kind = json.dumps(answer.document).encode(), "application/json"
        head = [("Content-Type", kind), ("Content-Length", str(len(body))), *answer.headers]
        start_response(f"{answer.status.value} {answer.status.phrase}", head)
        return [body]

    def _answer(self, environ: WSGIEnvironment) -> Answer:
        path = environ["PATH_INFO"]
        if path not in self._paths:
            return Answer(HTTPStatus.NOT_FOUND, {"error": f"There are {', '.join(self._paths)}."})
        if environ["REQUEST_METHOD"] != "POST":
            return Answer(HTTPStatus.METHOD_NOT_ALLOWED, {"error": "Only POST."}, (("Allow", "POST"),))
        body = environ["wsgi.input"].read(_MOST_BYTES + 1)
        if len(body) > _MOST_BYTES:
            return Answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, {"error": f"More than {_MOST_BYTES:,} bytes."})
        return self._receive(path, _headers(environ), body)

    def _receive(self, path: str, headers: Mapping[str, str], body: bytes) -> Answer:
        # The same text twice, but only webhook-id is signed: a repeated call could bear another Idempotency-Key.
        key = (headers.get("webhook-id") or headers.get("idempotency-key", ""))[:_LONGEST_SHOWN]
        attempt = headers.get("beatkeeper-attempt", "")[:_LONGEST_SHOWN]
        call = self._received.arrived(path, key, attempt, is_verified=verify(self._secret, headers, body))
        answer = self._paths[path](call) if call.is_verified else _UNVERIFIED
        self._received.answered(call, answer.status)
        trust = "verified" if call.is_verified else "UNVERIFIED"
        print(f"POST {path} key={key!r} attempt={attempt!r} {trust}: {answer.status.value}", flush=True)
        return answer

    def _effect(self, call: Call) -> Answer:
        effect = "done" if self._received.take_effect(call.key) else "already done"
        return Answer(HTTPStatus.OK, {"key": call.key, "attempt": call.attempt, "effect": effect})

    def _flaky(self, call: Call) -> Answer:
        """Refuse the first calls of each key, then recover."""
        if call.number > FLAKY_FAILURES:
            return self._effect(call)
        document = {"error": f"Overloaded; call {call.number} of this key.", "retry_after": RETRY_AFTER_SECONDS}
        return Answer(HTTPStatus.SERVICE_UNAVAILABLE, document, (("Retry-After", str(RETRY_AFTER_SECONDS)),))

    def _slow(self, call: Call) -> Answer:
        self._pause(SLOW_SECONDS)
        return self._effect(call)


_UNVERIFIED = Answer(HTTPStatus.UNAUTHORIZED, {"error": "The signature is missing, wrong, or older than five minutes."})


def _headers(environ: WSGIEnvironment) -> dict[str, str]:
    """By name in lower case, as HTTP/2 spells them."""
    return {name[5:].replace("_", "-").lower(): text for name, text in environ.items() if name.startswith("HTTP_")}


def application(environ: Mapping[str, str] = os.environ) -> Receiver:
    """What gunicorn serves: ``gunicorn "scheduler_project.demo.receiver:application()"``."""
    secret = environ.get(SECRET_VARIABLE, "")
    if not secret:
        raise SystemExit(f"{SECRET_VARIABLE} is not set: a receiver without the secret can verify nothing.")
    return Receiver(secret)
