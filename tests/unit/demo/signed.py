"""A call as the product signs it, spelt as a WSGI server hands it on."""

from __future__ import annotations

import io
from typing import Any

from jobs import clock
from jobs.targets.signing import new_secret, signature

SECRET = new_secret()
KEY = "7-1767225600000000"
BODY = b'{"run":"7-1767225600000000"}'


def now() -> int:
    return int(clock.utcnow().timestamp())


def headers(
    key: str = KEY, *, secret: str = SECRET, timestamp: int | None = None, body: bytes = BODY
) -> dict[str, str]:
    """The headers of a signed call, by name in lower case."""
    second = now() if timestamp is None else timestamp
    return {
        "idempotency-key": key,
        "beatkeeper-attempt": "1",
        "webhook-id": key,
        "webhook-timestamp": str(second),
        "webhook-signature": signature(secret, message_id=key, timestamp=second, body=body),
    }


def environ(path: str, given: dict[str, str], body: bytes = BODY, method: str = "POST") -> dict[str, Any]:
    """The environment of a WSGI request."""
    named = {f"HTTP_{name.upper().replace('-', '_')}": text for name, text in given.items()}
    return {"REQUEST_METHOD": method, "PATH_INFO": path, "wsgi.input": io.BytesIO(body), **named}
