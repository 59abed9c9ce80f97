"""HEAD over a real connection: an answer without content, and nothing for the server to complain of."""

from __future__ import annotations

import contextlib
import http.client

import pytest

from tests.support.web import HOST, Web


@pytest.mark.parametrize("path", ["/v1/jobs", "/v1/openapi.json", "/v1/nothing", "/healthz", "/readyz", "/metrics"])
def test_head_is_answered_without_a_complaint(server: Web, path: str) -> None:
    headers = {"Authorization": f"Bearer {server.token}"}
    with contextlib.closing(http.client.HTTPConnection(HOST, server.port, timeout=60)) as connection:
        connection.request("HEAD", path, headers=headers)
        told = connection.getresponse()
        assert told.read() == b""
        connection.request("GET", path, headers=headers)  # on the same connection: no stray content before its answer
        got = connection.getresponse()
        assert (told.status, told.headers["Content-Length"]) == (got.status, str(len(got.read())))
    assert server.process is not None
    assert "no-body response" not in server.stack.log_of(server.process).read_text()
