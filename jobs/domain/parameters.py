"""A job's JSON Schema for what a run by hand may bring. Nothing is ever fetched: references must stay within it.

The library is imported where it is used: workers, which never do, would hold some ten megabytes of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jobs.domain.json_value import json_fault
from jobs.errors import InvalidFieldError

MAX_SCHEMA_BYTES = 32_768


def schema_fault(schema: object) -> str:
    """Why this is no JSON Schema (2020-12) for parameters; empty when it is one."""
    if not isinstance(schema, dict):
        return 'parameters_schema must be a JSON object such as {"type": "object", "required": ["month"]}.'
    if problem := json_fault(schema, limit=MAX_SCHEMA_BYTES):
        return problem
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return f"parameters_schema is no JSON Schema: {error.message} at {error.json_path}."
    return ""


def check_parameters(schema: Mapping[str, Any] | None, payload: Mapping[str, Any], *, is_http: bool) -> None:
    """Refuse a payload whose keyword arguments, or body of an HTTP job, do not fit the schema; InvalidFieldError."""
    field = "body" if is_http else "kwargs"
    if schema is None or (is_http and field not in payload):
        return
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    validator = Draft202012Validator(schema, registry=Registry())
    try:
        fault = best_match(validator.iter_errors(payload.get(field, {})))
    except (Unresolvable, RecursionError) as error:
        raise InvalidFieldError(field, f"The job's parameters_schema cannot be followed: {error}. Mend it.") from error
    if fault is not None:
        where = fault.json_path.replace("$", field, 1)
        raise InvalidFieldError(where, f"{where} does not fit the job's parameters_schema: {_short(fault.message)}.")


def _short(message: str) -> str:
    return message if len(message) <= 300 else f"{message[:300]}…"
