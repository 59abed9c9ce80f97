"""AMQP tables as JSON that PostgreSQL stores, and back again without loss.

JSON and AMQP share texts, numbers, booleans, lists, tables and nothing. What else a table may hold stands in an object
with one key that says what it is: ``{"$bytes": base64}``, ``{"$time": ISO}``, ``{"$decimal": "1.5"}``,
``{"$float": "nan"}``, ``{"$text": base64}`` for a text with U+0000 or half a surrogate pair, and ``{"$table": [[key,
value], …]}`` for a table that could be taken for one of these or has such a text as a key.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from jobs.domain.bounds import storable_text

_SURROGATES = "surrogatepass"


def to_json(value: Any) -> Any:
    """The value as JSON; TypeError for what no AMQP table holds, RecursionError when it is nested too deeply."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return value if _is_plain(value) else {"$text": _base64(value.encode("utf-8", _SURROGATES))}
    if isinstance(value, Mapping):
        return _table(value)
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    return _tagged(value)


def from_json(value: Any) -> Any:
    """What :func:`to_json` was given."""
    if isinstance(value, list):
        return [from_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and (read := _READERS.get(next(iter(value)))):
        return read(next(iter(value.values())))
    return {key: from_json(item) for key, item in value.items()}


def _table(table: Mapping[Any, Any]) -> Any:
    if all(isinstance(key, str) and _is_plain(key) and not key.startswith("$") for key in table):
        return {key: to_json(item) for key, item in table.items()}
    return {"$table": [[to_json(key), to_json(item)] for key, item in table.items()]}


def _tagged(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": str(value)}
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"$bytes": _base64(bytes(value))}
    if isinstance(value, datetime):
        return {"$time": value.isoformat()}
    if isinstance(value, Decimal):
        return {"$decimal": str(value)}
    raise TypeError(f"A {type(value).__name__} in a message's headers cannot be kept.")


def _is_plain(text: str) -> bool:
    return storable_text(text) == text


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def _read_table(entries: list[list[Any]]) -> dict[Any, Any]:
    return {from_json(key): from_json(item) for key, item in entries}


_READERS: dict[str, Callable[[Any], Any]] = {
    "$bytes": base64.b64decode,
    "$text": lambda text: base64.b64decode(text).decode("utf-8", _SURROGATES),
    "$time": datetime.fromisoformat,
    "$decimal": Decimal,
    "$float": float,
    "$table": _read_table,
}
