"""What requests bring, and what answers look like. Values are judged by the definition's own rules (jobs.domain)."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import AwareDatetime, BeforeValidator, ConfigDict, Field, StrictBool, StrictInt, StrictStr
from pydantic.functional_validators import AfterValidator

from jobs.domain.policies import Backoff, CatchUp, ConcurrencyPolicy, Delivery, Jitter
from jobs.domain.schedules import KINDS
from jobs.domain.states import RunStatus, Trigger


def _text_only(value: object) -> object:
    if value is not None and not isinstance(value, (str, datetime, date, time)):
        raise ValueError("it must be a text such as 2030-01-31T09:00:00+00:00")
    return value


def _in_utc(value: datetime) -> datetime:
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise ValueError("it is outside the years 1 to 9999") from None


def _number(value: object) -> object:
    if isinstance(value, (bool, str)):
        raise ValueError("it must be a number")
    return value


Instant = Annotated[AwareDatetime, BeforeValidator(_text_only), AfterValidator(_in_utc)]
Day = Annotated[date, BeforeValidator(_text_only)]
Clock = Annotated[time, BeforeValidator(_text_only)]
Number = Annotated[float, BeforeValidator(_number), Field(allow_inf_nan=False)]
Object = dict[str, Any]
Kind = Literal[tuple(KINDS)]  # type: ignore[valid-type]  # the engine's own list


class Strict(Schema):
    """Refuses fields that it does not know."""

    model_config = ConfigDict(extra="forbid")


class ScheduleIn(Strict):
    """A schedule's fields: those of its kind, its zone and its bounds."""

    cron: StrictStr = ""
    interval_seconds: StrictInt | None = None
    anchor_at: Instant | None = None
    calendar_every: StrictInt | None = None
    calendar_unit: StrictStr = ""
    anchor_date: Day | None = None
    wall_time: Clock | None = None
    once_at: Instant | None = None
    timezone: StrictStr = "UTC"
    start_at: Instant | None = None
    end_at: Instant | None = None


class DefinitionIn(ScheduleIn):
    """What a job's definition may be given; what is left out has its default."""

    description: StrictStr = ""
    labels: Object = {}
    team: StrictStr | None = Field(None, description="The name of a team (a Django group).")
    enabled: StrictBool = True
    spread_seconds: StrictInt = 0
    task: StrictStr = Field("", description="A Celery task's name; or else an endpoint.")
    args: list[Any] = []
    kwargs: Object = {}
    endpoint: StrictStr | None = Field(None, description="The name of a registered endpoint; or else a task.")
    body: Any = None
    headers: Object = {}
    parameters_schema: Object | None = None
    webhook: StrictStr | None = Field(
        None, description="The name of an endpoint that is told of the end of each run, from the next run on."
    )
    concurrency_policy: ConcurrencyPolicy = ConcurrencyPolicy.ALLOW
    starting_deadline_seconds: StrictInt | None = None
    catch_up: CatchUp = CatchUp.LATEST
    catch_up_limit: StrictInt = 100
    queue: StrictStr = ""
    priority: StrictInt = 0
    timeout_seconds: StrictInt | None = None
    soft_timeout_seconds: StrictInt | None = None
    max_attempts: StrictInt = 5
    backoff_kind: Backoff = Backoff.EXPONENTIAL
    backoff_base_seconds: Number = 1.0
    backoff_cap_seconds: Number = 600.0
    jitter: Jitter = Jitter.FULL
    delivery: Delivery = Delivery.AT_LEAST_ONCE


class JobIn(DefinitionIn):
    """A new job."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "name": "nightly-report",
                    "kind": "cron",
                    "cron": "0 2 * * *",
                    "timezone": "Europe/Berlin",
                    "task": "reports.build",
                    "kwargs": {"format": "pdf"},
                }
            ]
        },
    )
    name: StrictStr = Field(description="a-z, 0-9, dot, underscore, hyphen; 1 to 100 of them.")
    allow_past: StrictBool = Field(False, description="A once whose time has passed is due now instead of refused.")
    kind: Kind  # type: ignore[valid-type]  # see there


class JobPatch(DefinitionIn):
    """Changes of a job: fields that are left out stay as they are. A name stays for ever."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"cron": "30 2 * * *"}]})
    kind: Kind | None = None  # type: ignore[valid-type]  # see there


class PauseIn(Strict):
    """How long, and why."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"reason": "the month's end"}]})

    until: Instant | None = None
    reason: StrictStr = ""


class ResumeIn(Strict):
    """Whether the slots of the pause are missed slots for the job's catch-up policy, or gone."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"catch_up": "latest"}]})

    catch_up: Literal["latest"] | None = None


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


class PreviewIn(ScheduleIn):
    """A schedule, of which the coming slots are to be shown; nothing is stored."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"kind": "cron", "cron": "0 9 * * 1-5", "count": 3}]}
    )
    kind: Kind  # type: ignore[valid-type]  # see there
    after: Instant | None = Field(None, description="Slots after this instant; now, when left out.")
    count: StrictInt = Field(10, ge=1, le=100)


class ReplayIn(Strict):
    """Which dead runs to queue again: some by their keys, or those of an error group."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"group": "0123456789ab", "rate": 5}]})
    runs: list[StrictStr] | None = Field(None, min_length=1, max_length=1000)
    group: Annotated[StrictStr, Field(pattern="^[0-9a-f]{12}$")] | None = None
    job: StrictStr | None = Field(None, description="Of the group, the runs of this job alone.")
    since: Instant | None = None
    limit: StrictInt = Field(10_000, ge=1, le=10_000)
    rate: Number | None = Field(None, description="At most so many of them are due a second.")


class SlotOut(Schema):
    """A coming slot: local time with its offset, and in UTC. ``moved``: a clock change has moved it."""

    local: str
    offset_seconds: int
    utc: datetime
    moved: Any = None


class PreviewOut(Schema):
    """The schedule in words, its coming slots, and what one should know of it."""

    schedule: str
    slots: list[SlotOut]
    warnings: list[str]


class JobOut(Schema):
    """A job: its definition, and where it stands."""

    name: str
    state: str
    note: str
    schedule: str
    next: datetime | None
    kind: str
    version: int


class JobsOut(Schema):
    """A page of jobs."""

    jobs: list[JobOut]
    next_page_token: str


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


class ReplayOut(Schema):
    """How many runs were queued again, why others were not, and how many of the group are still dead."""

    replayed: int
    refused: list[str]
    left: int


class FaultOut(Schema):
    """What is wrong with one field."""

    field: str
    message: str


class ProblemOut(Schema):
    """An error (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[FaultOut] | None = None
