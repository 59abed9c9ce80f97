"""A client of the HTTP API, for programs with or without Django. It needs the extra ``client``.

::

    with Client("https://beatkeeper.example", token) as client:
        result = client.run_and_wait("nightly-report", kwargs={"month": "2030-01"}, timeout=600)
"""

from __future__ import annotations

try:
    import httpx as _httpx  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        'jobs.client needs httpx. Install the extra "client": pip install "/path/to/beatkeeper[client]"'
    ) from error

from jobs.client.client import Client
from jobs.client.documents import DeadGroup, Job, Platform, Preview, Replay, Run, Slot
from jobs.client.errors import (
    ApiError,
    ChangedError,
    ClientError,
    ConflictError,
    ConnectionFailedError,
    InProgressError,
    InvalidInputError,
    InvalidRequestError,
    KeyReusedError,
    NotAllowedError,
    NotFoundError,
    OperationFailedError,
    OperationOpenError,
    RateLimitedError,
    TooLargeError,
    UnavailableError,
    UnexpectedAnswerError,
    UnknownTokenError,
)
from jobs.client.operations import Operation, OperationError
from jobs.client.retrying import RetryPolicy

__all__ = [
    "ApiError",
    "ChangedError",
    "Client",
    "ClientError",
    "ConflictError",
    "ConnectionFailedError",
    "DeadGroup",
    "InProgressError",
    "InvalidInputError",
    "InvalidRequestError",
    "Job",
    "KeyReusedError",
    "NotAllowedError",
    "NotFoundError",
    "Operation",
    "OperationError",
    "OperationFailedError",
    "OperationOpenError",
    "Platform",
    "Preview",
    "RateLimitedError",
    "Replay",
    "RetryPolicy",
    "Run",
    "Slot",
    "TooLargeError",
    "UnavailableError",
    "UnexpectedAnswerError",
    "UnknownTokenError",
]
