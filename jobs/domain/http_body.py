"""The JSON body of an HTTP job: a template whose texts may hold placeholders, filled in for each attempt.

``{{ run }}``, ``{{ job }}``, ``{{ scheduled_for }}`` and ``{{ attempt }}`` are replaced within texts. A text that is
one placeholder and nothing else takes the value itself, so that ``{{ attempt }}`` becomes a number. Keys stay as they
are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from jobs.domain.json_value import json_fault

_PLACEHOLDER = re.compile(r"\{\{\s*(.*?)\s*\}\}", re.DOTALL)
_LONGEST_SHOWN = 40


class Facts(NamedTuple):
    """What an endpoint is told of an attempt. ``run`` is the run key, ``job`` the job's name."""

    run: str
    job: str
    scheduled_for: datetime
    attempt: int

    @property
    def slot(self) -> str:
        """``scheduled_for`` in ISO 8601, UTC, with a Z."""
        return _slot(self.scheduled_for)


@lru_cache(maxsize=64)  # a call says it in its body and in a header
def _slot(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


STANDARD = {name: f"{{{{ {name} }}}}" for name in Facts._fields}
"""What a job without a body sends, written as a body."""


def rendered(body: Any, facts: Facts) -> Any:
    """The body with its placeholders filled in; of a job without a body, all the facts."""
    values = _values(facts)
    return values if body is None else _filled(body, values)


def body_fault(body: Any, *, limit: int) -> str:
    """Why a body cannot be stored, sent and filled in, as JSON of at most ``limit`` bytes; empty when it can."""
    if problem := json_fault(body, limit=limit):
        return problem
    return next(_placeholder_faults(body), "")


def _values(facts: Facts) -> dict[str, str | int]:
    """By placeholder."""
    return {"run": facts.run, "job": facts.job, "scheduled_for": facts.slot, "attempt": facts.attempt}


def _filled(body: Any, values: dict[str, str | int]) -> Any:
    if isinstance(body, str):
        return _filled_text(body, values) if "{{" in body else body
    if isinstance(body, list):
        return [_filled(item, values) for item in body]
    if isinstance(body, dict):
        return {key: _filled(item, values) for key, item in body.items()}
    return body


def _filled_text(text: str, values: dict[str, str | int]) -> str | int:
    """What is no placeholder stays: the check at save is not every writer's way in."""
    whole = _PLACEHOLDER.fullmatch(text)
    if whole and whole[1] in values:
        return values[whole[1]]
    return _PLACEHOLDER.sub(lambda found: str(values.get(found[1], found[0])), text)


def _placeholder_faults(body: Any) -> Iterator[str]:
    if isinstance(body, dict):
        yield from (_key_fault(key) for key in body if _PLACEHOLDER.search(key))
    for item in body.values() if isinstance(body, dict) else body if isinstance(body, list) else ():
        yield from _placeholder_faults(item)
    if isinstance(body, str):
        unknown = (name for name in _PLACEHOLDER.findall(body) if name not in Facts._fields)
        yield from (f"{_shown(name)} is no placeholder. {_ALLOWED}" for name in unknown)


def _key_fault(key: str) -> str:
    shown = key[:_LONGEST_SHOWN]
    return f'The key "{shown}" holds a placeholder, and keys are not filled in. Put it into a value.'


def _shown(name: str) -> str:
    return f"{{{{ {name[:_LONGEST_SHOWN]} }}}}"


_ALLOWED = f"Allowed are {', '.join(_shown(name) for name in Facts._fields)}."
