"""The CHECKs of ``jobs_job``: what no write path can get past."""

from __future__ import annotations

from datetime import UTC, date, datetime

from django.db import models
from django.db.models import Q

from jobs.domain.policies import Backoff, CatchUp, ConcurrencyPolicy, Delivery, Jitter
from jobs.models.fields import enum_check

_UNSET = {
    "cron": Q(cron=""),
    "interval": Q(interval_seconds=None, anchor_at=None),
    "calendar": Q(calendar_every=None, calendar_unit="", anchor_date=None, wall_time=None),
    "once": Q(once_at=None),
}
_SET = {
    "cron": ~Q(cron=""),
    "interval": Q(interval_seconds__gte=1, anchor_at__isnull=False),
    "calendar": Q(
        calendar_every__gte=1,
        calendar_unit__in=["day", "week", "month"],
        anchor_date__isnull=False,
        wall_time__isnull=False,
    ),
    "once": Q(once_at__isnull=False),
}


def _exactly_one_kind() -> Q:
    condition = Q(pk__isnull=True)
    for kind in [*_SET, "manual"]:
        this = Q(kind=kind)
        for other in _SET:
            this &= _SET[other] if other == kind else _UNSET[other]
        condition |= this
    return condition


# What Python's datetime and the schedule engine can hold: PostgreSQL also knows infinity and the year 294276.
_INSTANTS = (datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC))
_DATES = (date(1, 1, 2), date(9999, 12, 30))


def instants_in_range(name: str, *columns: str) -> models.CheckConstraint:
    """CHECK that each of these times is one that Python can read; NULL is."""
    condition = Q()
    for column in columns:
        condition &= Q(**{f"{column}__range": _INSTANTS})
    return models.CheckConstraint(name=name, condition=condition)


def job_constraints() -> list[models.BaseConstraint]:
    """All of the table's constraints."""
    return [
        models.UniqueConstraint(
            name="job_name_living",
            fields=["name"],
            condition=Q(archived_at=None),
            violation_error_code="unique",  # said at the field
            violation_error_message="A job of this name exists. Choose another name, or edit or archive that job.",
        ),
        models.CheckConstraint(name="job_name_form", condition=Q(name__regex=r"^[a-z0-9._-]{1,100}$")),
        models.CheckConstraint(name="job_one_kind", condition=_exactly_one_kind()),
        models.CheckConstraint(
            name="job_one_target",
            condition=(~Q(task="") & Q(endpoint=None)) | (Q(task="") & Q(endpoint__isnull=False)),
        ),
        models.CheckConstraint(
            name="job_start_before_end",
            condition=Q(start_at=None) | Q(end_at=None) | Q(start_at__lte=models.F("end_at")),
        ),
        models.CheckConstraint(name="job_pause_end_needs_pause", condition=Q(paused=True) | Q(paused_until=None)),
        models.CheckConstraint(
            name="job_limits",
            condition=Q(
                priority__range=(0, 9),
                catch_up_limit__range=(1, 10_000),
                max_attempts__range=(1, 1000),
                backoff_base_seconds__gte=0,
                backoff_cap_seconds__gte=models.F("backoff_base_seconds"),
            ),
        ),
        instants_in_range("job_instants", "anchor_at", "once_at", "start_at", "end_at", "paused_until", "archived_at"),
        models.CheckConstraint(name="job_dates", condition=Q(anchor_date__range=_DATES)),
        enum_check("job", "concurrency_policy", ConcurrencyPolicy),
        enum_check("job", "catch_up", CatchUp),
        enum_check("job", "backoff_kind", Backoff),
        enum_check("job", "jitter", Jitter),
        enum_check("job", "delivery", Delivery),
    ]
