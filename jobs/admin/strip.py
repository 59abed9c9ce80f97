"""The last runs of a job as a strip of cells, newest right. Height and mark tell the statuses apart without colour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from jobs.admin import formats
from jobs.domain.states import RunStatus
from jobs.store.recent_runs import RecentRun

IN_LIST = 20
ON_PAGE = 40
_CELL = '<a class="jobs-cell jobs-cell-{}{}" href="{}" title="{}"{}></a>'


def strip(runs: Sequence[RecentRun], zone: str, *, is_tabbed: bool = False) -> SafeString:
    """``runs`` come newest first. ``is_tabbed``: each cell is a stop of the tab key, too many for a list."""
    base = reverse("admin:jobs_jobrun_changelist")
    rest = SafeString("" if is_tabbed else ' tabindex="-1" aria-hidden="true"')
    cells = (
        (run.status, " jobs-cell-retried" if _is_retried(run) else "", f"{base}{run.key}/change/", title, label + rest)
        for run in reversed(runs)
        for title in [_title(run, zone)]
        for label in [format_html(' aria-label="{}"', title) if is_tabbed else SafeString()]
    )
    return format_html(
        '<span class="jobs-strip" role="group" aria-label="{}">{}</span>',
        summary(runs),
        format_html_join("", _CELL, cells),
    )


def summary(runs: Sequence[RecentRun]) -> str:
    """The strip in words: ``Last 20 runs: 18 succeeded, 2 dead``."""
    counts = Counter(run.status for run in runs)
    parts = ", ".join(f"{counts[status]} {status}" for status in RunStatus if counts[status])
    return f"Last {len(runs)} {'run' if len(runs) == 1 else 'runs'}: {parts}"


def legend(runs: Sequence[RecentRun]) -> list[tuple[RunStatus, int]]:
    """The statuses that the strip shows, with their numbers."""
    counts = Counter(run.status for run in runs)
    return [(status, counts[status]) for status in RunStatus if counts[status]]


def _is_retried(run: RecentRun) -> bool:
    return run.status is RunStatus.SUCCEEDED and run.attempts > 1


def _title(run: RecentRun, zone: str) -> str:
    slot = formats.local_time(run.key.scheduled_for, zone)
    parts = [
        run.status.value,
        f"slot {slot:%a} {formats.wall(slot)} {formats.offset(slot)}",
        f"took {formats.duration(run.took)}" if run.took else "",
        f"{run.attempts} attempts" if run.attempts > 1 else "",
        run.error.partition("\n")[0],
    ]
    return " · ".join(filter(None, parts))
