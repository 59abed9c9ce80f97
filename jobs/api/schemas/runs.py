"""Runs, their operations, and dead runs by their error."""

from __future__ import annotations

import reprlib
from datetime import datetime
from typing import Annotated, Any

from ninja import Schema
from pydantic import ConfigDict, Field, PlainValidator, StrictBool, StrictInt, StrictStr, WithJsonSchema

from jobs.api.schemas.common import Instant, Number, Object, Strict
from jobs.domain.messages import RunKey
from jobs.domain.states import RunStatus, Trigger


def _key(value: object) -> RunKey:
    if not isinstance(value, str):
        raise ValueError(f"{reprlib.repr(value)} is not the key of a run such as 7-1767225600000000.")
    return RunKey.parse(value)


Key = Annotated[
    RunKey,
    PlainValidator(_key),
    WithJsonSchema({"type": "string", "pattern": "^[0-9]{1,19}-[0-9]{1,19}$", "examples": ["7-1767225600000000"]}),
]


class RunIn(Strict):
    """When a run starts, and what it is called with instead of the job's own."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"kwargs": {"month": "2030-01"}, "delay_seconds": 60}]}
    )
    delay_seconds: Number | None = Field(None, description="Start after so many seconds; at most 90 days.")
    run_at: Instant | None = Field(None, description="Start at this time; at most 90 days ahead.")
    args: list[Any] | None = None
    kwargs: Object | None = None
    body: Any = Field(None, description="Of an HTTP job.")
    force: StrictBool = Field(False, description="Leave the job's concurrency policy out.")
    webhook: StrictStr | None = Field(
        None, description="The name of an endpoint that is told of this run's end, in place of the job's own."
    )


class RunOut(Schema):
    """A run."""

    run: str
    job: str
    status: RunStatus
    trigger: Trigger
    attempts: int
    max_attempts: int
    queue: str
    priority: int
    scheduled_for: datetime
    due_at: datetime
    run_after: datetime
    started_at: datetime | None
    finished_at: datetime | None
    cancel_requested_at: datetime | None
    result: Any = None
    last_error: str
    operation: str


class RunsOut(Schema):
    """A page of runs."""

    runs: list[RunOut]
    next_page_token: str


class OperationError(Schema):
    """Why an operation did not succeed; ``code`` is the run's status, such as ``dead`` or ``cancelled``."""

    code: RunStatus
    message: str


class OperationOut(Schema):
    """A long-running operation as AIP-151 has it: ``response`` or ``error`` once it is done."""

    name: str
    done: bool
    metadata: dict[str, Any]
    response: dict[str, Any] | None = None
    error: OperationError | None = None


class ReplayIn(Strict):
    """Which dead runs to queue again: some by their keys, or those of an error group."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"group": "0123456789ab", "rate": 5}]})
    runs: list[Key] | None = Field(None, min_length=1, max_length=1000, description="Keys of runs.")
    group: Annotated[StrictStr, Field(pattern="^[0-9a-f]{12}$")] | None = None
    job: StrictStr | None = Field(None, description="Of the group, the runs of this job alone.")
    since: Instant | None = None
    limit: StrictInt = Field(10_000, ge=1, le=10_000)
    rate: Number | None = Field(None, description="At most so many of them are due a second.")


class ReplayOut(Schema):
    """How many runs were queued again, why others were not, and how many of the group are still dead."""

    replayed: int
    refused: list[str]
    left: int


class DeadGroupOut(Schema):
    """Dead runs with the same error. Numbers end at 10,001."""

    group: str
    error: str
    runs: int
    jobs: int
    first_at: datetime
    last_at: datetime
    newest_run: str


class DeadGroupsOut(Schema):
    """The groups with a dead run in the days looked at, newest first."""

    groups: list[DeadGroupOut]
