"""The OpenAPI 3.1 description, mended where the framework leaves things out."""

from __future__ import annotations

import functools
from typing import Any

from jobs.api.application import api
from jobs.api.problems import CONTENT_TYPE

_PREFIX = "/v1/"
_HEADERS = {
    "202": {"Location": "Where the operation is read.", "Retry-After": "Seconds after which to ask again."},
    "201": {"Location": "Where the job is read.", "ETag": "The job's version, for If-Match."},
    "429": {"Retry-After": "Seconds after which to send the request again."},
    "503": {"Retry-After": "Seconds after which to send the request again."},
}


@functools.lru_cache(maxsize=1)
def document() -> dict[str, Any]:
    """The description, made once."""
    found: dict[str, Any] = api.get_openapi_schema(path_prefix=_PREFIX)
    for operations in found["paths"].values():
        for operation in operations.values():
            _mend(operation)
    found["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    return found


def _mend(operation: dict[str, Any]) -> None:
    operation["security"] = [{"token": []}]
    operation["responses"] = {
        str(status): _response(str(status), response) for status, response in operation["responses"].items()
    }
    if body := operation.get("requestBody"):
        content = body["content"]["application/json"]
        content["schema"] = _without_null(content["schema"])
    for parameter in operation["parameters"]:
        parameter["schema"] = _without_null(parameter["schema"])
        if examples := parameter.pop("examples", None):  # a list is for schemas; a parameter has one, or a map
            parameter["example"] = examples[0]


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """What may be left out is not sent as null: neither a body nor a parameter can be."""
    options = [option for option in schema.get("anyOf", ()) if option != {"type": "null"}]
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**rest, **options[0]} if len(options) == 1 else schema


def _response(status: str, response: dict[str, Any]) -> dict[str, Any]:
    """Problems have a media type of their own; some answers have headers."""
    mended = dict(response)
    if int(status) >= 400:
        (content,) = response["content"].values()
        mended["content"] = {CONTENT_TYPE: content}
    if status in _HEADERS:
        mended["headers"] = {
            name: {"description": text, "schema": {"type": "string"}} for name, text in _HEADERS[status].items()
        }
    return mended
