"""What a request may bring: names in paths, times, JSON, keys. Bad input is refused here, in words."""

from __future__ import annotations

import json
import math
import re
import uuid
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlsplit

from jobs.client.errors import InvalidInputError

_VISIBLE = re.compile(r"[\x21-\x7e]+")
_LONGEST_KEY = 255
_NAMES = {
    "job": (r"(?!\.{1,2}$)[a-z0-9._-]{1,100}", "the name of a job. One has a-z, 0-9, dot, underscore, hyphen."),
    "run": (r"[0-9]{1,19}-[0-9]{1,19}", "the key of a run. One is such as 7-1767225600000000."),
    "operation": (r"op_[0-9]{1,19}-[0-9]{1,19}", "the name of an operation. One is such as op_7-1767225600000000."),
    "group": (r"[0-9a-f]{12}", "the name of a group of dead runs. One is such as 1e0a3a5fb4ca."),
}


def name_in_path(what: str, name: str) -> str:
    """The name of a job, run, operation or group, if it can be one."""
    pattern, words = _NAMES[what]
    if not isinstance(name, str) or not re.fullmatch(pattern, name):
        raise InvalidInputError(f"{name!r} is not {words}")
    return name


def root(base_url: str) -> str:
    """The address of the API below a server's address; ``/v1`` at its end is taken too."""
    try:
        parts = urlsplit(base_url)
        is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except (ValueError, AttributeError, TypeError):
        is_address = False
    if is_address and parts.username is not None:
        raise InvalidInputError("The server's address holds a user: leave it out, the token is sent in a header.")
    if not is_address or parts.query or parts.fragment or not _VISIBLE.fullmatch(base_url):
        raise InvalidInputError(f"{base_url!r} is no server's address. One is such as https://beatkeeper.example.")
    return base_url.rstrip("/").removesuffix("/v1").rstrip("/") + "/v1"


def bearer(token: str) -> str:
    """The Authorization header of a token. The token itself stands in no message."""
    if not isinstance(token, str) or not _VISIBLE.fullmatch(token):
        raise InvalidInputError("The token is empty or holds characters that no token has.")
    return f"Bearer {token}"


def idempotency_key(key: str | None) -> str:
    """The caller's key, or a new one."""
    if key is None:
        return str(uuid.uuid4())
    if not isinstance(key, str) or not _VISIBLE.fullmatch(key) or len(key) > _LONGEST_KEY:
        raise InvalidInputError(f"key is 1 to {_LONGEST_KEY} visible ASCII characters, not {key!r}.")
    return key


def tag(etag: str) -> str:
    """A job's ETag, as ``Job.etag`` has it."""
    if not isinstance(etag, str) or not _VISIBLE.fullmatch(etag):
        raise InvalidInputError(f'etag is that of a job as it was read, such as "v3" with its quotes, not {etag!r}.')
    return etag


def json_body(body: Mapping[str, Any]) -> bytes:
    """The body as JSON. What JSON has no form for is refused: how it is to be read is the caller's to say."""
    try:
        return json.dumps(body, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(f"This cannot be sent as JSON: {error}.") from None


def plain(field: str, value: Any) -> Any:
    """A field of a definition or a query: times as ISO 8601, all else as it is."""
    if isinstance(value, datetime):
        return instant(field, value)
    return value.isoformat() if isinstance(value, (date, time)) else value


def instant(field: str, value: datetime) -> str:
    """An aware time as ISO 8601."""
    if not isinstance(value, datetime) or value.utcoffset() is None:
        raise InvalidInputError(f"{field} is a datetime with a time zone, not {value!r}.")
    return value.isoformat()


def seconds(field: str, value: float | timedelta) -> float:
    """A length of time, 0 or more."""
    number = value.total_seconds() if isinstance(value, timedelta) else value
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 <= number < math.inf:
        raise InvalidInputError(f"{field} is a number of seconds from 0 on, or a timedelta, not {value!r}.")
    return float(number)


def given(**fields: Any) -> dict[str, Any]:
    """The fields that are not None, each in its plain form."""
    return {name: plain(name, value) for name, value in fields.items() if value is not None}
