"""What lies behind a job: its last runs and gaps, for its page. Two bounded statements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from django.urls import reverse
from django.utils.safestring import SafeString

from jobs.admin import formats, gap_words
from jobs.models import Job, SlotGap
from jobs.store.recent_runs import RecentRun

SHOWN = 10


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as the job's page lists it."""

    url: str
    slot: SafeString | str
    badge: SafeString
    trigger: str
    late: str
    took: str
    attempts: int
    error: str


@dataclass(frozen=True, slots=True)
class GapRow:
    """A gap as the job's page lists it."""

    after: SafeString
    until: SafeString
    slots: str
    reason: str
    word: str


def run_rows(runs: Sequence[RecentRun], zone: str, now: datetime) -> list[RunRow]:
    """The newest of the runs."""
    base = reverse("admin:jobs_jobrun_changelist")
    return [
        RunRow(
            url=f"{base}{run.key}/change/",
            slot=formats.when(run.key.scheduled_for, zone, now),
            badge=formats.badge(run.status),
            trigger="" if run.trigger == "schedule" else run.trigger,
            late=formats.duration(run.lateness),
            took=formats.duration(run.took),
            attempts=run.attempts,
            error=run.error.strip().partition("\n")[0],
        )
        for run in runs[:SHOWN]
    ]


def gap_rows(job: Job) -> list[GapRow]:
    """The newest gaps, by the index ``gap_job``."""
    return [
        GapRow(
            after=formats.local(gap.after, job.timezone),
            until=formats.local(gap.until, job.timezone),
            slots=gap_words.slots(gap),
            reason=gap_words.reason(gap),
            word=gap.reason,
        )
        for gap in SlotGap.objects.filter(job=job).order_by("-until")[:SHOWN]
    ]


def typical(spans: Iterable[timedelta | None]) -> str:
    """The median of those that are known."""
    known = [span.total_seconds() for span in spans if span is not None]
    return formats.duration(timedelta(seconds=median(known))) if known else formats.NOTHING
