"""What the API answers, as types. All times are aware.

``document`` is the answer as it came, with what this version of the client does not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Self

from jobs.client.errors import UnexpectedAnswerError


def _instant(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


_TIME = {"read": _instant}


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """An answer of the API."""

    document: Mapping[str, Any] = field(repr=False, compare=False)

    @classmethod
    def read(cls, document: Any) -> Self:
        """The answer as its type; UnexpectedAnswerError when a field is not there, or is not of its form."""
        try:
            known = {
                known.name: known.metadata.get("read", _same)(document[known.name])
                for known in fields(cls)
                if known.name != "document"
            }
        except (KeyError, TypeError, ValueError) as error:
            raise UnexpectedAnswerError(f"The answer is no {cls.__name__} of this API: {error!r}.") from error
        return cls(**known, document=document)


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(Document):
    """A job. ``schedule`` is in words, ``next`` its coming slot; the whole definition is in ``document``."""

    name: str
    state: str
    note: str
    schedule: str
    next: datetime | None = field(metadata=_TIME)
    kind: str
    task: str
    endpoint: str | None
    team: str | None
    enabled: bool
    version: int
    etag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run(Document):
    """A run; ``run`` is its key."""

    run: str
    job: str
    status: str
    trigger: str
    attempts: int
    max_attempts: int
    queue: str
    priority: int
    scheduled_for: datetime = field(metadata=_TIME)
    due_at: datetime = field(metadata=_TIME)
    run_after: datetime = field(metadata=_TIME)
    started_at: datetime | None = field(metadata=_TIME)
    finished_at: datetime | None = field(metadata=_TIME)
    cancel_requested_at: datetime | None = field(metadata=_TIME)
    result: Any
    last_error: str
    operation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot(Document):
    """A coming slot: ``local`` is ISO 8601 in the schedule's zone, ``moved`` what a clock change did to it."""

    local: str
    offset_seconds: int
    utc: datetime = field(metadata=_TIME)
    moved: Any


def _slots(documents: list[Any]) -> tuple[Slot, ...]:
    return tuple(Slot.read(document) for document in documents)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview(Document):
    """A schedule in words, its coming slots, and what one should know of it."""

    schedule: str
    slots: tuple[Slot, ...] = field(metadata={"read": _slots})
    warnings: tuple[str, ...] = field(metadata={"read": tuple})


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadGroup(Document):
    """Dead runs with the same error; numbers end at 10,001."""

    group: str
    error: str
    runs: int
    jobs: int
    first_at: datetime = field(metadata=_TIME)
    last_at: datetime = field(metadata=_TIME)
    newest_run: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay(Document):
    """How many runs were queued again, why others were not, and how many of the group are still dead."""

    replayed: int
    refused: tuple[str, ...] = field(metadata={"read": tuple})
    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform(Document):
    """How the installation does. ``status`` is ``ok``, ``degraded`` or ``down``; the facts are in ``document``."""

    status: str
    problems: tuple[Mapping[str, Any], ...] = field(metadata={"read": tuple})
