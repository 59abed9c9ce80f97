"""RabbitMQ's management API, as tests look at a broker from outside."""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.parse
import urllib.request
from http import HTTPStatus
from typing import Any

from tests.support.waiting import wait_until


class Management:
    """Calls the API at a URL that holds the login."""

    def __init__(self, url: str) -> None:
        parts = urllib.parse.urlsplit(url)
        self._url = f"http://{parts.hostname}:{parts.port}"
        login = f"{parts.username}:{urllib.parse.unquote(parts.password or '')}"
        self._login = f"Basic {base64.b64encode(login.encode()).decode()}"

    def call(self, method: str, path: str, body: object = None) -> Any:
        """The JSON answer, None where there is none; HTTPError when the API refuses."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": self._login, "Content-Type": "application/json"}
        request = urllib.request.Request(self._url + path, method=method, data=data, headers=headers)
        with urllib.request.urlopen(request, timeout=10) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def drop_vhost(self, vhost: str, timeout: float = 30) -> None:
        """Delete a vhost, if it is there.

        RabbitMQ ends its queues meanwhile, and may answer 5xx while it does: it is asked again for ``timeout`` seconds.
        """
        refusals: list[str] = []

        def is_gone() -> bool:
            try:
                self.call("DELETE", f"/api/vhosts/{vhost}")
            except urllib.error.HTTPError as error:
                with error:
                    if error.code < HTTPStatus.INTERNAL_SERVER_ERROR:
                        return _is_not_found(error)
                    refusals.append(f"{error}: {error.read().decode(errors='replace')}")
                return False
            return True

        try:
            wait_until(is_gone, timeout, every=0.5)
        except AssertionError:
            message = f"RabbitMQ did not delete the vhost {vhost} in {timeout:g} s. Its last answer: {refusals[-1]}"
            raise AssertionError(message) from None


def _is_not_found(error: urllib.error.HTTPError) -> bool:
    """True for 404; any other refusal is raised."""
    if error.code != HTTPStatus.NOT_FOUND:
        raise error
    return True
