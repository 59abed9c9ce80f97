"""A tour of the demo from the live database: what to look at, where, and what is there to be seen now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

from django.db.models import Count, Sum
from django.urls import reverse

from jobs.domain.states import RunStatus
from jobs.models import Job, JobRun, Leader, SlotGap
from jobs.store.clock import database_now
from scheduler_project.demo.definitions import SOURCE
from scheduler_project.demo.stops import STOPS, Stop

_BACK = timedelta(hours=1)
_LATELY = timedelta(seconds=30)


def tour(web: str) -> Iterator[str]:
    """The lines of the tour. ``web`` is the URL of the admin's server, without a path."""
    jobs = {job.name: job for job in Job.objects.living().filter(source=SOURCE)}
    not_yet = []
    for stop in STOPS:
        if stop.job in jobs:
            job, gaps = jobs[stop.job], _gaps(jobs[stop.job])
            run = _run(stop, job)
            yield f"{stop.job}: {stop.look}"
            yield f"  seen: {', '.join([*_runs(job), *gaps]) or 'nothing in the last hour'}"
            yield f"  {web}{_page(run or job)}"
            if (stop.fits and not run) or (stop.needs_gap and not gaps):
                not_yet.append(stop.job)
    if jobs:
        yield "\nA gap (catch up) holds slots that came due while no beat ran; of each job only the latest was run."
    yield f"\n{_verdict(len(jobs), not_yet)}"


def is_led() -> bool:
    """Whether a beat has ticked lately."""
    return Leader.objects.filter(ticked_at__gt=database_now() - _LATELY).exists()


def _runs(job: Job) -> list[str]:
    """Runs of the last hour, counted by what they show."""
    runs = JobRun.objects.filter(job=job, scheduled_for__gt=database_now() - _BACK)
    counts: Counter[str] = Counter()
    for status, attempts, number in runs.values_list("status", "attempts").annotate(Count("id")):
        counts[_shown(RunStatus(status), attempts)] += number
    return [f"{number} {what}" for what, number in sorted(counts.items())]


def _shown(status: RunStatus, attempts: int) -> str:
    if status is RunStatus.SUCCEEDED and attempts > 1:
        return "retried then succeeded"
    if status is RunStatus.QUEUED and attempts:
        return "waiting for a retry"
    return status


def _gaps(job: Job) -> list[str]:
    counts = SlotGap.objects.filter(job=job).values_list("reason").annotate(Sum("count")).order_by("reason")
    return [f"a gap of {count} ({reason.replace('_', ' ')})" for reason, count in counts if count]


def _run(stop: Stop, job: Job) -> JobRun | None:
    """The newest run that shows it."""
    return JobRun.objects.filter(job=job, **stop.fits).order_by("-scheduled_for").first() if stop.fits else None


def _page(shown: JobRun | Job) -> str:
    return reverse(f"admin:{shown._meta.label_lower.replace('.', '_')}_change", args=[shown.pk])


def _verdict(jobs: int, not_yet: list[str]) -> str:
    if not jobs:
        return "There are no demo jobs here: `make up` lays them out, once."
    if not_yet:
        return f"Not to be seen yet: {', '.join(not_yet)}. Three minutes after the first `make up` all of it is."
    return "All of it is there to be seen."
