"""Jobs, their schedules, and what is done with a job."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from ninja import Schema
from pydantic import ConfigDict, Field, StrictBool, StrictInt, StrictStr

from jobs.api.schemas.common import Clock, Day, Instant, Number, Object, Strict
from jobs.domain.policies import Backoff, CatchUp, ConcurrencyPolicy, Delivery, Jitter
from jobs.domain.schedules import KINDS

Kind = Literal[tuple(KINDS)]  # type: ignore[valid-type]  # the engine's own list


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


class PreviewIn(ScheduleIn):
    """A schedule, of which the coming slots are to be shown; nothing is stored."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"kind": "cron", "cron": "0 9 * * 1-5", "count": 3}]}
    )
    kind: Kind  # type: ignore[valid-type]  # see there
    after: Instant | None = Field(None, description="Slots after this instant; now, when left out.")
    count: StrictInt = Field(10, ge=1, le=100)


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
