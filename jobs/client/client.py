"""The client: a server's address, a token, and all that the API can do."""

from __future__ import annotations

from types import TracebackType
from typing import Self

import httpx

from jobs.client.dead import DeadCalls
from jobs.client.documents import Platform
from jobs.client.jobs import JobCalls
from jobs.client.retrying import RetryPolicy
from jobs.client.runs import RunCalls
from jobs.client.transport import Transport


class Client(JobCalls, RunCalls, DeadCalls):
    """A server and a token; threads may share it. Close it, or use it as a context manager.

    ``timeout``: seconds to connect, and to wait for an answer. Each POST carries an idempotency key of its own, so
    that it can be repeated; pass ``key`` to name the work yourself. ``transport`` is for proxies and certificates of
    your own (see httpx). All errors are of ``jobs.client.ClientError``.
    """

    def __init__(
        self,
        base_url: str,
        token: str,
        *,
        timeout: float = 30.0,
        retry: RetryPolicy | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        super().__init__(Transport(base_url, token, timeout=timeout, retry=retry or RetryPolicy(), transport=transport))

    def platform(self) -> Platform:
        """How the installation does: leaders, queues, broker, and what is wrong with them."""
        return Platform.read(self._transport.get("/platform").document)

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, type_: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
