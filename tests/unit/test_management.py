"""Deleting a vhost bears with a RabbitMQ that is busy, and says what it answered when it never does so."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tests.support.management import Management


@contextmanager
def _answering(*codes: int) -> Iterator[tuple[Management, list[str]]]:
    """A management API that gives these answers in turn, the last for ever; and what it was asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_DELETE(self) -> None:
            code = codes[min(len(asked), len(codes) - 1)]
            asked.append(self.path)
            body = b"" if code == 204 else b'{"error":"busy"}'
            self.send_response(code)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Quietly."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield Management(f"http://me:secret@127.0.0.1:{server.server_port}"), asked
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("last", [204, 404])
def test_a_vhost_that_is_busy_is_deleted_again_until_it_is_gone(last: int) -> None:
    with _answering(500, 503, last) as (management, asked):
        management.drop_vhost("mine")
    assert asked == ["/api/vhosts/mine"] * 3


def test_a_vhost_that_stays_is_told_with_the_last_answer() -> None:
    with (
        _answering(500) as (management, _),
        pytest.raises(AssertionError, match=r"did not delete the vhost mine in 0\.2 s.*500.*busy"),
    ):
        management.drop_vhost("mine", timeout=0.2)


def test_a_refusal_is_not_asked_again() -> None:
    with _answering(401) as (management, asked), pytest.raises(OSError, match="401"):
        management.drop_vhost("mine")
    assert len(asked) == 1
