"""A made-up shop's jobs with a few weeks behind them, as a platform that has run for a while looks."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Value
from django.db.models.expressions import DatabaseDefault

from jobs.domain.schedules import build
from jobs.domain.states import TERMINAL, RunStatus
from jobs.models import Endpoint, Job, JobCursor, JobRun, Leader, Marker, SlotGap
from jobs.store.clock import database_now
from jobs.store.runs import ensure_days
from tests.support.sample_jobs import ENDPOINTS, GAPS, JOBS, OUTCOMES, SampleJob

_DRAW = random.Random(7)
_PAUSE = timedelta(seconds=42)  # from attempt to attempt
_TRACEBACK = """Traceback (most recent call last):
  File "/srv/shop/payments/tasks.py", line 58, in settle
    batch = gateway.open_batch(day)
  File "/srv/shop/payments/gateway.py", line 121, in open_batch
    raise GatewayError(answer["code"], answer["message"])
payments.gateway.GatewayError: [E1042] batch 2210 is locked by another session"""


def lay_out() -> dict[str, JobRun]:
    """Fill an empty database; the runs worth a look, by name."""
    now = database_now()
    for name, fields in ENDPOINTS.items():
        Endpoint(name=name, **fields).save()
    runs = [run for sample in JOBS for run in _lay_out_job(sample, now)]
    ensure_days([now, *(run.scheduled_for for run in runs)])
    JobRun.objects.bulk_create(sorted(runs, key=lambda run: run.scheduled_for))
    refresh()
    return {
        "retried": JobRun.objects.filter(job__name="catalog.import-feed", attempts=3).latest("scheduled_for"),
        "dead": JobRun.objects.filter(job__name="payments.settle", status="dead").latest("scheduled_for"),
    }


def refresh() -> None:
    """Bring leader, markers and cursors up to the moment, as beat would."""
    now = database_now()
    _platform(now)
    errors = {sample.name: sample.error for sample in JOBS}
    for job in Job.objects.all():
        _place_cursor(job, now, errors[job.name])


def _lay_out_job(sample: SampleJob, now: datetime) -> list[JobRun]:
    fields = dict(sample.fields)
    if endpoint := fields.pop("endpoint", None):
        fields["endpoint"] = Endpoint.objects.get(name=endpoint)
    if days := fields.pop("once_in_days", None):
        fields["once_at"] = now.replace(minute=0, second=0, microsecond=0) + timedelta(days=days)
    if fields["kind"] == "interval":
        fields["anchor_at"] = now.replace(minute=0, second=0, microsecond=0) - timedelta(days=40)
    job = Job(name=sample.name, **fields)
    job.save()
    for gap in GAPS.get(sample.name, ()):
        until = now.replace(microsecond=0) - timedelta(hours=gap.hours_ago)
        after = until - timedelta(hours=gap.hours)
        SlotGap.objects.create(job=job, after=after, until=until, reason=gap.reason, count=gap.count, version=1)
    return list(_runs(job, sample.history, now))


def _place_cursor(job: Job, now: datetime, error: str) -> None:
    slot = None if job.kind == "manual" or error else build(job.spec).next(now)
    standing: dict[str, Any] = {"plan_needed": False, "error": error, "next_run_at": slot}
    if job.enabled and not job.paused and job.kind != "manual":
        standing["last_slot"] = max((run.scheduled_for for run in job.runs.filter(trigger="schedule")), default=None)
    JobCursor.objects.filter(pk=job.pk).update(**standing)


def _runs(job: Job, history: str, now: datetime) -> Iterator[JobRun]:
    """A run for each letter, oldest first: the newest has the newest slot."""
    slots = _slots_before(job, len(history), now)
    for letter, slot in zip(history[-len(slots) :] if slots else "", slots, strict=True):
        yield _run(job, letter, slot, now)


def _slots_before(job: Job, number: int, now: datetime) -> list[datetime]:
    if job.kind == "manual":
        return [now - timedelta(hours=19 * back, microseconds=437) for back in range(number, 0, -1)]
    schedule, days = build(job.spec), 1
    while number:
        found, slot = [], schedule.next(now - timedelta(days=days))
        while slot is not None and slot <= now:
            found.append(slot)
            slot = schedule.next(slot)
        if len(found) >= number or days > 800:
            return found[-number:]
        days *= 3
    return []


def _run(job: Job, letter: str, slot: datetime, now: datetime) -> JobRun:
    outcome = OUTCOMES[letter]
    start = slot + timedelta(milliseconds=_DRAW.randint(40, 400))
    seconds = _DRAW.uniform(*((0.04, 0.4) if job.endpoint_id else (2, 9)))
    values: dict[str, Any] = {
        "scheduled_for": slot,
        "due_at": slot,
        "run_after": slot,
        "trigger": "manual" if job.kind == "manual" else "schedule",
        "queue": job.queue or ("jobs.http" if job.endpoint_id else "jobs.default"),
        "status": outcome.status,
        "attempts": outcome.attempts,
        "max_attempts": job.max_attempts,
        "last_error": outcome.last_error,
        "error_group": DatabaseDefault(Value(None)),
    }
    if outcome.attempts:
        values |= {"token": outcome.attempts, "dispatched_at": slot}
        values["started_at"] = start + _PAUSE * (outcome.attempts - 1)
        values["errors"] = list(_errors(job, outcome.errors, start + timedelta(seconds=seconds)))
    if outcome.status is RunStatus.RUNNING:
        values |= {"locked_by": uuid.UUID(int=_DRAW.getrandbits(128)), "locked_until": now + timedelta(seconds=24)}
    if outcome.status is RunStatus.QUEUED:
        values["run_after"] = now + timedelta(seconds=48)
        values["dispatched_at"] = None
    if outcome.status in TERMINAL:
        values["finished_at"] = values.get("started_at", start) + timedelta(seconds=seconds)
    if outcome.status is RunStatus.SUCCEEDED:
        values["result"] = _result(job, seconds)
    return JobRun(job=job, **values)


def _errors(job: Job, errors: tuple[tuple[str, str, str], ...], first: datetime) -> Iterator[dict[str, Any]]:
    for index, (kind, type_name, message) in enumerate(errors):
        ended = first + _PAUSE * index
        traceback = _TRACEBACK if not job.endpoint_id and kind == "failed" else ""
        error = {"attempt": index + 1, "kind": kind, "type": type_name, "message": message}
        yield {**error, "traceback": traceback, "at": ended.isoformat()}


def _result(job: Job, seconds: float) -> dict[str, Any]:
    if not job.endpoint_id:
        return {"rows": _DRAW.randint(900, 4000), "skipped": 0}
    answer = json.dumps({"accepted": True, "items": 1284, "signed_for": "shop"})
    kept = {"status": 200, "seconds": round(seconds, 3), "address": "203.0.113.24", "answer": answer}
    return {**kept, "content_type": "application/json", "cut": False}


def _platform(now: datetime) -> None:
    Leader.objects.update_or_create(
        shard=0,
        defaults={
            "term": 12,
            "holder": uuid.UUID(int=_DRAW.getrandbits(128)),
            "host": "beat-1",
            "backend_pid": 4711,
            "elected_at": now - timedelta(days=3, hours=4),
            "renewed_at": now,
            "ticked_at": now,
        },
    )
    for queue in ("jobs.default", "jobs.fast", "jobs.http"):
        seen = now - timedelta(seconds=9)
        Marker.objects.update_or_create(
            queue=queue, defaults={"sent_at": seen, "returned_sent_at": seen, "returned_at": seen}
        )
