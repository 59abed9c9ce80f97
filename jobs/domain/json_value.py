"""Which values can be stored as ``jsonb``, sent as a message and come back equal; and JSON text from people."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from jobs.errors import InvalidFieldError

MAX_DEPTH = 50
_PLAIN = (str, int, float, bool, type(None))
_SURROGATE = re.compile("[\ud800-\udfff]")


def json_fault(value: object, *, limit: int) -> str:
    """Why a value cannot be stored and sent as JSON of at most ``limit`` UTF-8 bytes; empty when it can."""
    try:
        for item in _items(value):
            if problem := _item_fault(item):
                return problem
        size = len(json.dumps(value, allow_nan=False, ensure_ascii=False).encode())
    except _TooDeepError:
        return f"The JSON is nested deeper than {MAX_DEPTH} levels. Flatten it, or pass a reference."
    except ValueError:
        return "NaN, Infinity and numbers of over 4,300 digits are not JSON. Send null or a text instead."
    if size > limit:
        return f"The JSON has {size:,} bytes; {limit:,} are allowed. Store the data elsewhere and pass a reference."
    return ""


def text_fault(text: str) -> str:
    """Why a text cannot be stored, to follow the name of what holds it; empty when it can."""
    if "\x00" in text:
        return "holds the character U+0000, which PostgreSQL cannot store. Remove it."
    if _SURROGATE.search(text):
        return "holds half of a surrogate pair, which is no character. Remove it."
    return ""


def parse_json(text: str, field: str) -> Any:
    """Read JSON that a person typed; InvalidFieldError also for what Python alone would let pass."""
    try:
        return json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_refuse_constant)
    except RecursionError:
        problem = f"it is nested deeper than {MAX_DEPTH} levels"
    except json.JSONDecodeError as error:
        problem = f"{error.msg} at line {error.lineno}, column {error.colno}"
    except ValueError as error:
        problem = str(error)
    shown = text if len(text) <= 40 else f"{text[:40]}…"
    raise InvalidFieldError(
        field, f'{field} {shown} is not JSON: {problem}. Write for example [1, "a"] or {{"key": 1}}.'
    )


class _TooDeepError(ValueError):
    """More than MAX_DEPTH levels."""


def _items(value: object) -> Iterator[object]:
    """The value and everything in it, level by level; an object that occurs twice in a level is looked at once."""
    level = {id(value): value}
    for _ in range(MAX_DEPTH):
        yield from level.values()
        level = {id(item): item for parent in level.values() for item in _children(parent)}
        if not level:
            return
    raise _TooDeepError


def _children(parent: object) -> Iterator[object]:
    if isinstance(parent, dict):
        yield from parent.keys()
        yield from parent.values()
    elif isinstance(parent, list):
        yield from parent


def _item_fault(item: object) -> str:
    if isinstance(item, str) and (problem := text_fault(item)):
        return f"A text {problem}"
    if isinstance(item, dict) and not all(isinstance(key, str) for key in item):
        return "A key of an object is not a text. Put it in quotes."
    if not isinstance(item, (*_PLAIN, list, dict)):
        return f"A {type(item).__name__} is not JSON. Allowed are lists, objects, texts, numbers, true, false and null."
    return ""


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        (twice, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f'the key "{twice}" occurs twice in one object')
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")
