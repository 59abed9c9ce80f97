"""The head of a job's page: where it stands, what comes, what was. The form stands below it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.http import HttpRequest

from jobs import clock
from jobs.admin import formats, preview
from jobs.admin.facts import Fact
from jobs.admin.job_history import gap_rows, run_rows, typical
from jobs.admin.job_list import in_words, last_run, next_fire, state_badge, target, where_it_stands
from jobs.admin.strip import ON_PAGE, legend, strip
from jobs.domain.standing import JobState, Standing
from jobs.models import Job
from jobs.store.recent_runs import RecentRun, recent_runs

_HELD = {
    JobState.DISABLED: "It is disabled: none of these fires until it is enabled.",
    JobState.PARKED: "It is parked: correct the definition below.",
    JobState.ARCHIVED: "It is archived and fires no more.",
}


def overview(request: HttpRequest, job: Job) -> dict[str, Any]:
    """The context of ``job/overview.html``; runs and gaps for those who may see them."""
    now, standing = clock.utcnow(), where_it_stands(job)
    runs = recent_runs([job.pk], each=ON_PAGE).get(job.pk, [])
    return {
        "state": state_badge(job),
        "words": in_words(job),
        "facts": list(_facts(job, standing, runs, now)),
        "strip": strip(runs, job.timezone, is_tabbed=True) if runs else "",
        "legend": legend(runs),
        "fires": [] if standing.state is JobState.ARCHIVED else preview.fires(job.spec, _first_after(job, now)),
        "clock_change": preview.next_clock_change(job.spec, now),
        "zone": job.timezone,
        "held": _why_held(job, standing),
        "runs": run_rows(runs, job.timezone, now) if request.user.has_perm("jobs.view_jobrun") else None,
        "gaps": gap_rows(job) if request.user.has_perm("jobs.view_slotgap") else None,
    }


def _facts(job: Job, standing: Standing, runs: list[RecentRun], now: datetime) -> Iterator[Fact]:
    yield Fact("Next fire", next_fire(job, standing))
    yield Fact("Last run", last_run(runs[0]) if runs else formats.NOTHING)
    yield Fact("Late by, median", typical(run.lateness for run in runs))
    yield Fact("Took, median", typical(run.took for run in runs))
    yield Fact("Target", target(job))
    cursor = getattr(job, "cursor", None)
    yield Fact("Accounted for up to", formats.when(cursor and cursor.last_slot, job.timezone, now))


def _first_after(job: Job, now: datetime) -> datetime:
    """Slots held back by a pause that ends are not among those that fire."""
    is_paused = job.enabled and job.paused and job.paused_until is not None
    return max(now, job.paused_until) if is_paused and job.paused_until else now


def _why_held(job: Job, standing: Standing) -> str:
    if standing.state is not JobState.PAUSED:
        return _HELD.get(standing.state, "")
    if job.paused_until is None:
        return "It is paused: none of these fires until it is resumed."
    return "It is paused: these are the first after the pause."
