"""What team code produced, made fit for the database: bounded, and free of what PostgreSQL cannot store."""

from __future__ import annotations

import json
import math
import re
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

# PostgreSQL takes neither U+0000 nor half a surrogate pair, in texts and in jsonb.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_SUSPECT = re.compile("\\\\u0000|[\ud800-\udfff]")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_HEAD = 1000


def storable_text(text: str) -> str:
    """The text with what PostgreSQL refuses replaced by U+FFFD."""
    return _UNSTORABLE.sub(_REPLACEMENT, text)


def bounded_text(text: str, limit: int, *, keep: str = "head") -> str:
    """A storable text of at most ``limit`` bytes of UTF-8; of a longer one its head or its ``tail`` is kept."""
    raw = storable_text(text).encode()
    if len(raw) <= limit:
        return raw.decode()
    mark = f"… [{len(raw):,} bytes, cut] …".encode()
    room = max(0, limit - len(mark))
    whole = mark + raw[len(raw) - room :] if keep == "tail" else raw[:room] + mark
    return whole.decode(errors="ignore")


def bounded_json(value: object, limit: int) -> str:
    """The value as JSON that jsonb takes, of at most ``limit`` bytes; a longer one leaves its size and its head.

    What JSON cannot say is written as text: NaN as ``"NaN"``, a time in ISO form, any other object as its repr.
    """
    encoded = _encoded(value)
    size = len(encoded.encode())
    if size <= limit:
        return encoded
    head = bounded_text(encoded, min(_HEAD, limit // 2))
    return json.dumps({"truncated": True, "bytes": size, "head": head}, ensure_ascii=False)


def _encoded(value: object) -> str:
    try:
        encoded = _encode(value)
    except (TypeError, ValueError, RecursionError):
        return _encoded_anyhow(value)
    return _encoded_anyhow(value) if _SUSPECT.search(encoded) else encoded


def _encoded_anyhow(value: object) -> str:
    try:
        return json.dumps(_storable(value), allow_nan=False, ensure_ascii=False)
    except (ValueError, RecursionError):  # circular, nested too deeply, or a number of thousands of digits
        return json.dumps(storable_text(_safe_repr(value)), ensure_ascii=False)


def _storable(value: object) -> Any:
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, dict):
        return {storable_text(_text(key)): _storable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_storable(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value).replace("nan", "NaN")
    if isinstance(value, int) or value is None:
        return value
    return storable_text(str(_plain(value)))


def _text(key: object) -> str:
    return key if isinstance(key, str) else str(_plain(key))


def _plain(value: object) -> str:
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    return str(value) if isinstance(value, (UUID, Decimal)) else _safe_repr(value)


def _safe_repr(value: object) -> str:
    try:
        return repr(value)[:_HEAD]
    except Exception:  # team code's repr may do anything
        return f"<{type(value).__name__}>"


# Made once: ``json.dumps`` makes an encoder for each value.
_encode = json.JSONEncoder(default=_plain, allow_nan=False, ensure_ascii=False).encode
