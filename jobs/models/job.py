"""The definition of a job: schedule, target, policies. Where it stands is in :mod:`jobs.models.cursor`."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import connection, models, transaction
from django.db.models.functions import Now

from jobs import clock
from jobs.conf import config
from jobs.domain import definition
from jobs.domain.policies import Backoff, CatchUp, ConcurrencyPolicy, Delivery, Jitter
from jobs.domain.schedules import KINDS, ScheduleSpec
from jobs.models.constraints import job_constraints
from jobs.models.endpoint import Endpoint
from jobs.models.fields import enum_field, text

SCHEDULE_FIELDS = (
    "kind",
    "cron",
    "interval_seconds",
    "anchor_at",
    "calendar_every",
    "calendar_unit",
    "anchor_date",
    "wall_time",
    "once_at",
    "timezone",
    "start_at",
    "end_at",
)


class JobQuerySet(models.QuerySet["Job"]):
    """Jobs by state."""

    def living(self) -> JobQuerySet:
        """Jobs that are not archived; their names are unique."""
        return self.filter(archived_at=None)


class Job(models.Model):
    """One registered job. Saving validates the whole definition and never writes the cursor."""

    name = models.CharField(max_length=100, help_text="Lower-case letters, digits, dot, underscore, hyphen.")
    description = text()
    labels = models.JSONField(blank=True, default=dict, db_default=models.Value({}, models.JSONField()))
    team = models.ForeignKey(Group, null=True, blank=True, on_delete=models.SET_NULL)
    enabled = models.BooleanField(default=True, db_default=True)
    paused = models.BooleanField(default=False, db_default=False)
    paused_until = models.DateTimeField(null=True, blank=True, help_text="Empty: until resumed by hand.")
    pause_reason = text()
    archived_at = models.DateTimeField(null=True, blank=True, editable=False)

    kind = models.CharField(max_length=20, choices=[(kind, kind) for kind in KINDS])
    cron = models.CharField(
        "cron expression",
        max_length=512,
        blank=True,
        default="",
        db_default="",
        help_text="minute hour day-of-month month day-of-week, for example 0 9 * * 1-5",
    )
    interval_seconds = models.BigIntegerField(null=True, blank=True)
    anchor_at = models.DateTimeField(
        null=True, blank=True, help_text="Fire k is at anchor + k × interval. Empty: the time of saving."
    )
    calendar_every = models.PositiveIntegerField("every", null=True, blank=True)
    calendar_unit = models.CharField(
        "unit",
        max_length=5,
        blank=True,
        default="",
        db_default="",
        choices=[("day", "days"), ("week", "weeks"), ("month", "months")],
    )
    anchor_date = models.DateField(null=True, blank=True)
    wall_time = models.TimeField(null=True, blank=True)
    once_at = models.DateTimeField("at", null=True, blank=True)
    timezone = models.CharField("time zone", max_length=64, default="UTC", db_default="UTC")
    start_at = models.DateTimeField(null=True, blank=True, help_text="No slot before this instant.")
    end_at = models.DateTimeField(null=True, blank=True, help_text="No slot after this instant.")
    spread_seconds = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text="Runs start up to this many seconds after their slot, spread by job.",
    )

    task = models.CharField(max_length=255, blank=True, default="", db_default="", help_text="A Celery task's name.")
    args = models.JSONField(blank=True, default=list, db_default=models.Value([], models.JSONField()))
    kwargs = models.JSONField(blank=True, default=dict, db_default=models.Value({}, models.JSONField()))
    endpoint = models.ForeignKey(Endpoint, null=True, blank=True, on_delete=models.PROTECT)
    body = models.JSONField(null=True, blank=True)
    headers = models.JSONField(blank=True, default=dict, db_default=models.Value({}, models.JSONField()))
    parameters_schema = models.JSONField(
        null=True,
        blank=True,
        help_text="A JSON Schema for what a run by hand may bring: keyword arguments, or an HTTP job's body.",
    )

    webhook = models.ForeignKey(
        Endpoint,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="announcing_jobs",
        help_text="An endpoint that is told of the end of each run. It holds for runs that are made from now on.",
    )

    concurrency_policy = enum_field(ConcurrencyPolicy, ConcurrencyPolicy.ALLOW)
    starting_deadline_seconds = models.PositiveIntegerField(
        null=True, blank=True, help_text="A slot older than this no longer starts. Empty: no limit."
    )
    catch_up = enum_field(CatchUp, CatchUp.LATEST)
    catch_up_limit = models.PositiveIntegerField(
        default=100, db_default=100, validators=[MinValueValidator(1), MaxValueValidator(10_000)]
    )

    queue = models.CharField(
        max_length=100,
        blank=True,
        default="",
        db_default="",
        help_text="Empty: the task's own, else jobs.default; for an HTTP job jobs.http.",
    )
    priority = models.PositiveSmallIntegerField(
        default=0, db_default=0, validators=[MaxValueValidator(9)], help_text="0 to 9, higher first."
    )
    timeout_seconds = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Of one attempt. Empty: the task's own, else 1800; for an HTTP job the endpoint's.",
    )
    soft_timeout_seconds = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="The body is told. Empty: the task's own, else none. HTTP calls have none.",
    )
    max_attempts = models.PositiveSmallIntegerField(
        default=5, db_default=5, validators=[MinValueValidator(1), MaxValueValidator(1000)]
    )
    backoff_kind = enum_field(Backoff, Backoff.EXPONENTIAL)
    backoff_base_seconds = models.FloatField(default=1.0, db_default=1.0)
    backoff_cap_seconds = models.FloatField(default=600.0, db_default=600.0)
    jitter = enum_field(Jitter, Jitter.FULL)
    delivery = enum_field(Delivery, Delivery.AT_LEAST_ONCE)

    source = models.CharField(max_length=20, default="admin", db_default="sql", editable=False)
    version = models.PositiveIntegerField(default=1, db_default=1, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    updated_at = models.DateTimeField(db_default=Now(), editable=False)

    # Set on a new instance: a once_at in the past is due now instead of refused.
    allow_past = False

    objects = JobQuerySet.as_manager()

    class Meta:
        db_table = "jobs_job"
        constraints = job_constraints()
        indexes = [models.Index(fields=["team", "name"], name="job_team")]  # the admin's filter by team

    def __str__(self) -> str:
        return self.name

    def save(self, **options: Any) -> None:
        """Validate and store. The version column is kept by the database."""
        self.full_clean()
        if not (self.allow_past and self._state.adding):
            super().save(**options)
            return
        with transaction.atomic():
            _say_past_is_meant(True)
            super().save(**options)
            _say_past_is_meant(False)

    @property
    def spec(self) -> ScheduleSpec:
        """The schedule as the engine takes it."""
        return ScheduleSpec(**{name: getattr(self, name) for name in SCHEDULE_FIELDS})

    def clean_fields(self, exclude: Collection[str] | None = None) -> None:
        """Look at what :meth:`clean` does not: its words say the value and the way out, Django's often do not."""
        for name in definition.WHOLE_NUMBERS:
            value = getattr(self, name)
            if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
                raise ValidationError({name: f"{value!r} must be a whole number."})
        super().clean_fields(exclude={*(exclude or ()), *definition.JUDGED})

    def clean(self) -> None:
        """Refuse a definition that cannot work: every fault at once, by field."""
        if self.kind == "interval" and self.anchor_at is None:
            self.anchor_at = clock.utcnow().replace(microsecond=0)
        limits = config()
        faults = definition.faults(self, queues=limits.queues, payload_max=limits.payload_max)
        if "once_at" not in faults and self._is_late():
            faults["once_at"] = f"{self.once_at} has passed. Choose a later time, or run the job by hand."
        if self.endpoint_id is not None and not Endpoint.objects.filter(pk=self.endpoint_id).exists():
            faults["endpoint"] = f"There is no endpoint {self.endpoint_id}. Choose one that is registered."
        if self.webhook_id is not None and not Endpoint.objects.filter(pk=self.webhook_id).exists():
            faults["webhook"] = f"There is no endpoint {self.webhook_id}. Choose one that is registered."
        if faults:
            raise ValidationError(faults)

    def _is_late(self) -> bool:
        """Whether a new or changed ``once_at`` lies in the past; a courtesy, since one accepted late is due now."""
        if not isinstance(self.once_at, datetime) or self.once_at > clock.utcnow():
            return False
        if self.allow_past and self._state.adding:
            return False
        return not Job.objects.filter(pk=self.pk, once_at=self.once_at).exists()


def _say_past_is_meant(is_meant: bool) -> None:
    """For the planning trigger, until the transaction ends: it begins the plan of a once before its time."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('beatkeeper.allow_past', %s, true)", ["on" if is_meant else "off"])
