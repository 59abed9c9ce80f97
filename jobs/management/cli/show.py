"""``jobs show``"""

from __future__ import annotations

import argparse
from itertools import islice
from typing import TYPE_CHECKING, Any

from jobs.broker.tasks import run_queue
from jobs.documents import gap_document, iso, job_definition, job_summary, run_document, slot_document
from jobs.domain.endpoint import disabled_caution
from jobs.domain.schedules import preview, warnings
from jobs.errors import InvalidScheduleError
from jobs.management.cli import remote
from jobs.management.cli.arguments import add_json, find_job
from jobs.management.cli.output import Output
from jobs.models import Job, JobRun, SlotGap
from jobs.services.queues import queue_warning
from jobs.store.clock import database_now

if TYPE_CHECKING:
    from jobs.client import Client

HELP = "show one job: definition, next slots, last runs, gaps"
_NEXT, _LAST = 5, 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("name")


def handle(options: dict[str, Any], out: Output) -> None:
    _tell(_document(find_job(options["name"])), out)


def handle_remote(options: dict[str, Any], client: Client, out: Output) -> None:
    """The API tells neither of the cursor nor of gaps: both are null. Warnings are those of the schedule alone."""
    name = options["name"]
    job = client.job(name)
    slots, cautions = _preview_remote(name, client)
    runs = islice(client.runs(name, page_size=_LAST), _LAST)
    document = {
        **remote.job_summary(job),
        "definition": remote.job_definition(job),
        "cursor": None,
        "next_slots": slots,
        "last_runs": [remote.run_document(run) for run in runs],
        "gaps": None,
        "warnings": cautions,
    }
    _tell(document, out)


def _preview_remote(name: str, client: Client) -> tuple[list[dict[str, Any]], list[str]]:
    from jobs.client import InvalidRequestError

    try:
        found = client.preview(name, count=_NEXT)
    except InvalidRequestError as error:  # a schedule that cannot be read: shown as the job's warning
        return [], [str(error)]
    return found.document["slots"], list(found.warnings)


def _tell(document: dict[str, Any], out: Output) -> None:
    if out.is_json:
        out.json(document)
    else:
        _write(document, out)


def _document(job: Job) -> dict[str, Any]:
    runs = JobRun.objects.filter(job=job).select_related("job").order_by("-scheduled_for")[:_LAST]
    gaps = SlotGap.objects.filter(job=job).order_by("-until")[:_LAST]
    return {
        **job_summary(job, database_now()),
        "definition": job_definition(job),
        "cursor": {
            "next_run_at": iso(job.cursor.next_run_at),
            "last_slot": iso(job.cursor.last_slot),
            "plan_from": iso(job.cursor.plan_from),
            "plan_needed": job.cursor.plan_needed,
            "error": job.cursor.error,
        },
        "next_slots": _next_slots(job),
        "last_runs": [run_document(run) for run in runs],
        "gaps": [gap_document(gap) for gap in gaps],
        "warnings": _warnings(job),
    }


def _next_slots(job: Job) -> list[dict[str, Any]]:
    """Of the schedule, whether or not the job is paused, disabled or parked."""
    try:
        return [slot_document(slot) for slot in preview(job.spec, database_now(), _NEXT)]
    except InvalidScheduleError:
        return []


def _warnings(job: Job) -> list[str]:
    found = [queue_warning(run_queue(job.queue, job.task))]
    if job.endpoint and not job.endpoint.enabled:
        found.append(disabled_caution(job.endpoint.name))
    if job.webhook and not job.webhook.enabled:
        found.append(disabled_caution(job.webhook.name, what="webhooks to it"))
    try:
        found += warnings(job.spec)
    except InvalidScheduleError as error:
        found.append(str(error))
    return [warning for warning in found if warning]


def _write(document: dict[str, Any], out: Output) -> None:
    for key in ("name", "state", "note", "schedule", "task", "endpoint", "queue"):
        if document[key]:
            out.line(f"{key + ':':10}{document[key]}")
    if webhook := document["definition"]["webhook"]:
        out.line(f"{'webhook:':10}{webhook}")
    for warning in document["warnings"]:
        out.line(f"warning:  {warning}")
    _section(out, "Next slots", ("local", "utc"), document["next_slots"])
    _section(out, "Last runs", ("run", "status", "attempts", "scheduled_for", "last_error"), document["last_runs"])
    _section(out, "Gaps", ("after", "until", "reason", "count"), document["gaps"])


def _section(out: Output, title: str, columns: tuple[str, ...], rows: list[dict[str, Any]] | None) -> None:
    if rows:
        out.line()
        out.line(title)
        out.table(columns, ([_short(row[column]) for column in columns] for row in rows))


def _short(value: object) -> object:
    text = str(value).strip().splitlines() if isinstance(value, str) else None
    return value if text is None else (text[-1][:80] if text else "")
