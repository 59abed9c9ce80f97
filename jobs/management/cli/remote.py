"""``jobs --server URL VERB``: the same verb, of a server that is reached over its HTTP API.

A verb that can do so has ``handle_remote(options, client, out)`` and writes what ``handle`` writes.
"""

from __future__ import annotations

import os
from types import ModuleType
from typing import TYPE_CHECKING, Any

from jobs.errors import CallerError

if TYPE_CHECKING:
    from jobs.client import Client, Job, Run

TOKEN = "BEATKEEPER_TOKEN"  # noqa: S105  # the variable's name
_OF_JOB = ("name", "state", "note", "schedule", "next", "task", "endpoint", "queue", "source")
_NOT_OF_DEFINITION = {"name", "state", "note", "schedule", "next", "team", "created_at", "updated_at", "etag"}
_NOT_OF_RUN = {"operation", "errors", "progress"}


def open_client(url: str) -> Client:
    """A client of this server, with the token of the environment."""
    try:
        from jobs.client import Client
    except ModuleNotFoundError as error:
        raise CallerError(str(error)) from error
    token = os.environ.get(TOKEN, "")
    if not token:
        raise CallerError(
            f"Put a token of that server into the environment variable {TOKEN}; "
            "there, `jobs tokens make NAME --scope SCOPE` makes one."
        )
    return Client(url, token)


def refuse_local(name: str, module: ModuleType) -> None:
    """CallerError for a verb that works on the database alone."""
    if not hasattr(module, "handle_remote"):
        raise CallerError(f"`{name}` does not go with --server: run it where the database is, without --server.")


def job_summary(job: Job) -> dict[str, Any]:
    """What ``jobs.documents.job_summary`` makes of a job."""
    found = {name: job.document.get(name) for name in _OF_JOB}
    return {**found, "task": found["task"] or None, "queue": found["queue"] or None}


def job_definition(job: Job) -> dict[str, Any]:
    """What ``jobs.documents.job_definition`` makes of a job."""
    return {name: value for name, value in job.document.items() if name not in _NOT_OF_DEFINITION}


def run_document(run: Run) -> dict[str, Any]:
    """What ``jobs.documents.run_document`` makes of a run."""
    return {name: value for name, value in run.document.items() if name not in _NOT_OF_RUN}
