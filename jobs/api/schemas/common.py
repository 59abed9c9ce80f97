"""What all of them have: times, numbers, refusal of unknown fields, and how an error looks."""

from __future__ import annotations

import re
import reprlib
from datetime import UTC, date, datetime, time
from typing import Annotated, Any

from ninja import Schema
from pydantic import AwareDatetime, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic.functional_validators import AfterValidator

_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?"
_RFC_3339 = rf"{_DATE}[Tt ]{_TIME}([Zz]|[+-][0-9]{{2}}:[0-9]{{2}})"
_WALL_TIME = r"[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?"


def _written(pattern: str, what: str) -> BeforeValidator:
    """A text of this form alone: pydantic would take a number, also one in quotes, for seconds since 1970."""
    form = re.compile(pattern)

    def check(value: object) -> object:
        if not isinstance(value, str) or not form.fullmatch(value):
            raise ValueError(f"{reprlib.repr(value)} is not {what}.")
        return value

    return BeforeValidator(check)


def _in_utc(value: datetime) -> datetime:
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise ValueError("In UTC it is outside the years 1 to 9999.") from None


def _number(value: object) -> object:
    if isinstance(value, (bool, str)):
        raise ValueError(f"{reprlib.repr(value)} is not a number.")
    return value


Instant = Annotated[
    AwareDatetime,
    _written(_RFC_3339, "a time with its offset as RFC 3339 has it, such as 2030-01-31T09:00:00+00:00"),
    AfterValidator(_in_utc),
]
Day = Annotated[date, _written(_DATE, "a date such as 2030-01-31")]
Clock = Annotated[
    time,
    _written(_WALL_TIME, "a time of day such as 09:00:00"),
    WithJsonSchema({"type": "string", "pattern": f"^{_WALL_TIME}$", "examples": ["09:00:00"]}),
]
Number = Annotated[float, BeforeValidator(_number), Field(allow_inf_nan=False)]
Object = dict[str, Any]


class Strict(Schema):
    """Refuses fields that it does not know."""

    model_config = ConfigDict(extra="forbid")


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
