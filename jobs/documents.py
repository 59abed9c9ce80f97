"""Jobs, runs, operations and gaps as JSON documents with stable keys. Times are ISO 8601 in UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from jobs.conf import config
from jobs.domain.messages import RunKey
from jobs.domain.schedules import PreviewSlot, describe
from jobs.domain.standing import Standing, standing
from jobs.domain.states import RunStatus
from jobs.errors import InvalidScheduleError
from jobs.models import Job, JobRun, SlotGap
from jobs.models.job import SCHEDULE_FIELDS

_DEFINITION = (
    *("description", "labels", "enabled", "paused", "paused_until", "pause_reason"),
    *SCHEDULE_FIELDS,
    *("spread_seconds", "task", "args", "kwargs", "body", "headers", "parameters_schema", "concurrency_policy"),
    *("starting_deadline_seconds", "catch_up"),
    *("catch_up_limit", "queue", "priority", "timeout_seconds", "soft_timeout_seconds", "max_attempts"),
    *("backoff_kind", "backoff_base_seconds", "backoff_cap_seconds", "jitter", "delivery", "source", "version"),
)
_RUN_FIELDS = ("status", "trigger", "attempts", "max_attempts", "queue", "priority")
_OPERATION_FIELDS = ("trigger", "attempts", "max_attempts", "queue", "priority", "progress")
_RUN_TIMES = ("scheduled_for", "due_at", "run_after", "started_at", "finished_at", "cancel_requested_at")
OPERATION_PREFIX = "op_"


def iso(instant: datetime | None) -> str | None:
    """UTC with a Z, and microseconds only where there are some."""
    return None if instant is None else instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


def in_words(job: Job) -> str:
    """The schedule in words, or why it cannot be read."""
    try:
        return describe(job.spec)
    except InvalidScheduleError as error:
        return f"invalid: {error}"


def target_in_words(summary: dict[str, Any]) -> str:
    """What a job calls, of its line in ``jobs list``."""
    return summary["task"] or f"POST {summary['endpoint']}"


def job_standing(job: Job, now: datetime) -> Standing:
    """Where the job stands; its cursor and endpoint are loaded with it."""
    return standing(job, job.cursor, now)


def job_summary(job: Job, now: datetime) -> dict[str, Any]:
    """A line of ``jobs list``."""
    stands = job_standing(job, now)
    return {
        "name": job.name,
        "state": str(stands.state),
        "note": stands.note,
        "schedule": in_words(job),
        "next": iso(stands.next_slot),
        "task": job.task or None,
        "endpoint": job.endpoint.name if job.endpoint else None,
        "queue": job.queue or None,
        "source": job.source,
    }


def job_definition(job: Job) -> dict[str, Any]:
    """All of a definition, by field; endpoints by their names, so that nothing of their secrets is near."""
    definition = {field: _plain(getattr(job, field)) for field in _DEFINITION}
    endpoints = {"endpoint": job.endpoint, "webhook": job.webhook}
    return {**definition, **{field: found.name if found else None for field, found in endpoints.items()}}


def run_document(run: JobRun) -> dict[str, Any]:
    """A run, without its log and history of attempts. ``run.job`` is loaded with it."""
    return {
        "run": str(run.key),
        "job": run.job.name,
        **{field: getattr(run, field) for field in _RUN_FIELDS},
        **{field: iso(getattr(run, field)) for field in _RUN_TIMES},
        "result": run.result,
        "last_error": run.last_error,
    }


def operation_name(key: RunKey) -> str:
    """The name of the operation that a run is to the API."""
    return f"{OPERATION_PREFIX}{key}"


def operation_document(run: JobRun) -> dict[str, Any]:
    """``name``, ``done``, ``metadata``; when done ``response`` with the result, or ``error`` with the last error."""
    status = RunStatus(run.status)
    document: dict[str, Any] = {
        "name": operation_name(run.key),
        "done": status.is_terminal,
        "metadata": _metadata(run),
    }
    if status is RunStatus.SUCCEEDED:
        document["response"] = {"run": str(run.key), "result": run.result}
    elif document["done"]:
        document["error"] = {"code": str(status), "message": run.last_error or f"The run is {status}."}
    return document


def _metadata(run: JobRun) -> dict[str, Any]:
    return {
        "run": str(run.key),
        "job": run.job.name,
        "status": run.status,
        **{name: getattr(run, name) for name in _OPERATION_FIELDS},
        **{name: iso(getattr(run, name)) for name in _RUN_TIMES},
        "expires_at": iso(run.scheduled_for + timedelta(days=config().retention_days)),
    }


def gap_document(gap: SlotGap) -> dict[str, Any]:
    """Slots in (after, until] that did not run; ``count`` is null until the leader has counted them."""
    return {
        "after": iso(gap.after),
        "until": iso(gap.until),
        "reason": gap.reason,
        "count": gap.count,
        "is_capped": gap.is_capped,
    }


def slot_document(slot: PreviewSlot) -> dict[str, Any]:
    """A coming slot: the local time with its offset, and in UTC."""
    return {
        "local": slot.local.isoformat(),
        "offset_seconds": int(slot.offset.total_seconds()),
        "utc": iso(slot.instant),
        "moved": slot.moved,
    }


def _plain(value: Any) -> Any:
    return iso(value) if isinstance(value, datetime) else value.isoformat() if hasattr(value, "isoformat") else value
