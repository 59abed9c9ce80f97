"""The page of one run: where it stands, what happens next, its attempts, what it got and gave."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.safestring import SafeString

from jobs import clock
from jobs.admin import formats
from jobs.admin.attempts import timeline
from jobs.admin.facts import Fact
from jobs.admin.job_list import target
from jobs.admin.links import job_link
from jobs.admin.next_step import next_step
from jobs.admin.run_list import lateness, status_badge, took
from jobs.domain.built_in import WEBHOOK_JOB
from jobs.domain.states import TERMINAL, RunStatus
from jobs.models import Endpoint, JobRun


@dataclass(frozen=True, slots=True)
class Answer:
    """What an endpoint answered to the last attempt; the text is masked and bounded where it was kept."""

    status: str
    mark: str
    facts: list[Fact]
    text: str
    is_cut: bool


def page(run: JobRun) -> dict[str, Any]:
    """The context of ``jobrun/page.html``."""
    now, answer = clock.utcnow(), answer_of(run)
    rows = timeline(run, now)
    return {
        "run": run,
        "badge": status_badge(run),
        "facts": list(_facts(run, now)),
        "next_step": next_step(run, now),
        "is_over": run.status in TERMINAL,
        "attempts": rows,
        "open_traceback": next((row for row in reversed(rows) if row.traceback), None),
        "error": "" if any(row.type or row.message for row in rows) else run.last_error,
        "answer": answer,
        "documents": list(_documents(run, answer)),
        **neighbours(run),
    }


def neighbours(run: JobRun) -> dict[str, str]:
    """The addresses of the job's runs before and after this one: a step each in the index ``jobrun_slot``."""
    runs = JobRun.objects.filter(job_id=run.job_id).only("job_id", "scheduled_for")
    before = runs.filter(scheduled_for__lt=run.scheduled_for).order_by("-scheduled_for").first()
    after = runs.filter(scheduled_for__gt=run.scheduled_for).order_by("scheduled_for").first()
    return {
        name: reverse("admin:jobs_jobrun_change", args=[str(found.key)])
        for name, found in (("before", before), ("after", after))
        if found
    }


def answer_of(run: JobRun) -> Answer | None:
    """The answer in the result of an HTTP run or a webhook; None where there is none."""
    kept = run.result
    is_call = run.job.endpoint_id is not None or run.job.name == WEBHOOK_JOB
    if not is_call or not isinstance(kept, dict) or "status" not in kept:
        return None
    succeeded = str(kept["status"]).startswith("2")
    return Answer(
        status=f"HTTP {kept['status']}",
        mark=RunStatus.SUCCEEDED if succeeded else RunStatus.DEAD,
        facts=list(_answer_facts(kept)),
        text=_indented(str(kept.get("answer") or "")),
        is_cut=bool(kept.get("cut")),
    )


def _indented(text: str) -> str:
    """JSON with a line a value; other text, and JSON that was cut, as it is."""
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


def _answer_facts(kept: dict[str, Any]) -> Iterator[Fact]:
    if isinstance(seconds := kept.get("seconds"), int | float):
        yield Fact("Took", f"{seconds:.3f} s" if seconds < 10 else f"{seconds:.1f} s")
    for label, key in (("Address", "address"), ("Content type", "content_type"), ("Location", "location")):
        if kept.get(key):
            yield Fact(label, str(kept[key]))


def _facts(run: JobRun, now: datetime) -> Iterator[Fact]:
    yield Fact("Job", job_link(run.job))
    yield Fact("Slot", formats.instant(run.scheduled_for, run.job.timezone))
    yield Fact("Age", formats.relative(run.scheduled_for, now))
    yield Fact("Late by", lateness(run))
    yield Fact("Took" if run.attempts <= 1 else "Last attempt took", took(run))
    yield Fact("Attempts", f"{run.attempts} of {run.max_attempts}")
    yield Fact("Target", target(run.job))
    if run.webhook_id is not None:
        yield Fact("Webhook", _webhook(run))


def _webhook(run: JobRun) -> str:
    """The endpoint that is told of the end, and whether that is under way."""
    endpoint = Endpoint.objects.filter(pk=run.webhook_id or 0).values_list("name", flat=True).first()
    when = "at its end" if run.finished_at is None else "soon" if run.fanned_out_at is None else "handed over"
    return f"{endpoint or 'a deleted endpoint'}, {when}"


def _documents(run: JobRun, answer: Answer | None) -> Iterator[tuple[str, SafeString | str]]:
    """What there is of texts and JSON; a result that is an answer is shown as one."""
    for label, value in (("Payload in place of the job's", run.payload), ("Progress", run.progress)):
        if value is not None:
            yield label, formats.document(value)
    if run.result is not None and answer is None:
        yield "Result", formats.document(run.result)
    if run.log:
        yield "Log", formats.block(run.log)
