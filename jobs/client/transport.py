"""Requests and answers over HTTP: JSON in and out, problems as errors, repeated where that is safe."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from jobs import clock
from jobs.client import sending
from jobs.client.errors import ConnectionFailedError, Problem, UnexpectedAnswerError, api_error
from jobs.client.retrying import Retrying, RetryPolicy
from jobs.domain.retry_after import retry_after_seconds
from jobs.version import VERSION

_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_EXCERPT = 200


@dataclass(frozen=True, slots=True)
class Reply:
    """A good answer: its JSON, and the seconds after which to ask again, where it names them."""

    document: dict[str, Any]
    retry_after: float | None


class Transport:
    """One server, one token, a pool of connections; threads may share it."""

    def __init__(
        self, base_url: str, token: str, *, timeout: float, retry: RetryPolicy, transport: httpx.BaseTransport | None
    ) -> None:
        self._retrying = Retrying(retry)
        self._timeout = sending.seconds("timeout", timeout)
        self._root = sending.root(base_url)
        headers = {"Authorization": sending.bearer(token), "User-Agent": f"beatkeeper/{VERSION}"}
        self._http = httpx.Client(base_url=self._root, headers=headers, transport=transport)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def get(self, path: str, params: Mapping[str, Any] | None = None, *, patience: float = 0.0) -> Reply:
        """Read; the server may take ``patience`` seconds longer than usual to answer."""
        request = self._request("GET", path, patience=patience, params=sending.given(**(params or {})))
        return self._send(request, is_repeatable=True)

    def items(self, path: str, name: str, params: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """What a list holds, page after page."""
        token: str | None = None
        while token != "":
            page = self.get(path, {**params, "page_token": token}).document
            try:
                yield from page[name]
                token = page["next_page_token"]
            except (KeyError, TypeError) as error:
                raise UnexpectedAnswerError(f"The answer of {self._root}{path} is no page of {name}.") from error

    def post(self, path: str, body: Mapping[str, Any] | None = None, *, key: str | None = None) -> Reply:
        """Do, once: with the caller's idempotency key, or a new one."""
        headers = {"Idempotency-Key": sending.idempotency_key(key)}
        return self._send(self._request("POST", path, body=body, headers=headers), is_repeatable=True)

    def write(self, method: str, path: str, body: Mapping[str, Any] | None = None, *, etag: str | None) -> Reply:
        """PATCH or DELETE, of this ETag where one is given."""
        headers = {} if etag is None else {"If-Match": sending.tag(etag)}
        return self._send(self._request(method, path, body=body, headers=headers), is_repeatable=False)

    def _request(
        self,
        method: str,
        path: str,
        *,
        patience: float = 0.0,
        params: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Request:
        content = None if body is None else sending.json_body(body)
        sent = {**(headers or {}), **({} if content is None else {"Content-Type": "application/json"})}
        timeout = httpx.Timeout(self._timeout, read=self._timeout + patience)
        return self._http.build_request(
            method, path, params=params or None, content=content, headers=sent, timeout=timeout
        )

    def _send(self, request: httpx.Request, *, is_repeatable: bool) -> Reply:
        return self._retrying.call(lambda: _reply(self._answer(request)), is_repeatable=is_repeatable)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        try:
            return self._http.send(request)
        except httpx.DecodingError as error:
            raise UnexpectedAnswerError(f"The answer of {self._root} cannot be read: {error}.") from error
        except httpx.TransportError as error:
            why = str(error).rstrip(".") or type(error).__name__
            raise ConnectionFailedError(
                f"{self._root} did not answer: {why}.", not isinstance(error, _NOT_SENT)
            ) from error


def _reply(response: httpx.Response) -> Reply:
    retry_after = retry_after_seconds(response.headers.get("Retry-After", ""), clock.utcnow())
    if response.status_code >= 400:
        raise api_error(_problem(response), retry_after)
    if response.status_code == 204:
        return Reply({}, retry_after)
    document = _json(response)
    if not response.is_success or not isinstance(document, dict):
        raise UnexpectedAnswerError(_not_ours(response))
    return Reply(document, retry_after)


def _problem(response: httpx.Response) -> Problem:
    """The problem document; or what can be said where something else, such as a proxy, answered."""
    found = _json(response)
    document = found if isinstance(found, dict) else {}
    faults = document.get("errors")
    return Problem(
        status=response.status_code,
        type=str(document.get("type", "about:blank")),
        title=str(document.get("title", response.reason_phrase)),
        detail=str(document.get("detail") or _not_ours(response)),
        errors=_by_field(faults if isinstance(faults, list) else []),
    )


def _by_field(faults: list[Any]) -> dict[str, str]:
    """Of two faults of one field, both."""
    found: dict[str, str] = {}
    for fault in faults:
        if isinstance(fault, dict):
            field, message = str(fault.get("field", "")), str(fault.get("message", ""))
            found[field] = f"{found[field]} {message}" if field in found else message
    return found


def _json(response: httpx.Response) -> Any:
    try:
        return json.loads(response.content)
    except (ValueError, RecursionError):
        return None


def _not_ours(response: httpx.Response) -> str:
    where = f" It points to {response.headers['Location']}." if response.has_redirect_location else ""
    start = " ".join(response.text[:_EXCERPT].split())
    said = f" It begins: {start}" if start and not where else ""
    return f"{response.url.copy_with(query=None)} answered {response.status_code}, not as the API does.{where}{said}"
