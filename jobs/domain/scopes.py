"""What an API token may do."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum


class Scope(StrEnum):
    """``admin`` holds all others."""

    JOBS_READ = "jobs:read"
    JOBS_WRITE = "jobs:write"
    RUNS_RUN = "runs:run"
    ADMIN = "admin"


def scopes_fault(scopes: object) -> str:
    """Why these are no scopes of a token; empty when they are."""
    known = ", ".join(Scope)
    if not isinstance(scopes, (list, tuple)) or not scopes:
        return f"A token needs a list of scopes, at least one of {known}."
    unknown = [scope for scope in scopes if scope not in list(Scope)]
    return f"There is no scope {unknown[0]!r}; there are {known}." if unknown else ""


def holds(scopes: Collection[str], wanted: Scope) -> bool:
    """Whether these scopes allow what ``wanted`` does."""
    return wanted in scopes or Scope.ADMIN in scopes
