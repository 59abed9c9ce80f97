"""RabbitMQ's management API, as tests look at a broker from outside."""

from __future__ import annotations

import base64
import json
import urllib.parse
import urllib.request
from typing import Any


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
