"""A job's JSON Schema for what its runs by hand are called with. It is followed in time that its size bounds.

The library is imported where it is used: workers, which never do, would hold some ten megabytes of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jobs.domain.json_value import json_fault
from jobs.errors import InvalidFieldError

MAX_SCHEMA_BYTES = 32_768
# Each could keep a server busy for ever with a few bytes: Python's regular expressions go back, references multiply,
# uniqueness compares all with all.
_REFUSED = ("pattern", "patternProperties", "$ref", "$dynamicRef", "uniqueItems")
_OF_NAMES = ("properties", "$defs", "dependentSchemas")
_OF_VALUES = ("enum", "const", "default", "examples", "required", "dependentRequired")


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
    if refused := next(_refused(schema), None):
        return f"parameters_schema has {refused}, which could take for ever. Use type, enum, format or bounds."
    return ""


def check_parameters(schema: Mapping[str, Any] | None, parameters: Any, *, is_http: bool) -> None:
    """Refuse keyword arguments, or the body of an HTTP job, that do not fit the schema; InvalidFieldError."""
    if schema is None:
        return
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    field = "body" if is_http else "kwargs"
    if problem := schema_fault(schema):  # stored past all checks
        raise InvalidFieldError(field, problem)
    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    fault = best_match(validator.iter_errors(parameters))
    if fault is not None:
        where = fault.json_path.replace("$", field, 1)
        raise InvalidFieldError(where, f"{where} does not fit the job's parameters_schema: {_short(fault.message)}.")


def _refused(schema: object) -> Iterator[str]:
    """The refused keywords in a schema, not the names and values of what it describes."""
    if isinstance(schema, list):
        for item in schema:
            yield from _refused(item)
    elif isinstance(schema, dict):
        for keyword, value in schema.items():
            if keyword in _REFUSED:
                yield keyword
            elif keyword in _OF_NAMES:
                yield from _refused(list(value.values()))
            elif keyword not in _OF_VALUES:
                yield from _refused(value)


def _short(message: str) -> str:
    return message if len(message) <= 300 else f"{message[:300]}…"
