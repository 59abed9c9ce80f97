"""Checks 1 and 5: each slot of each job is accounted for once, and nothing ran that the preview does not show.

Expected is what the product's own preview says of the definition in force: earlier definitions are in
``jobs_jobversion`` with their spans, the last one reigns from its cursor's ``plan_from`` on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from datetime import datetime
from typing import NamedTuple

from jobs.domain.messages import RunKey
from jobs.domain.schedules import ScheduleSpec, build, preview
from jobs.domain.states import GapReason
from tests.crash.harness.live import Live
from tests.crash.harness.window import Window

_MOST_SLOTS = 1_000_000
_FIELDS = [field.name for field in fields(ScheduleSpec)]  # named as the job's columns
_SPEC = ", ".join(f"(definition).{name}" for name in _FIELDS)
_REIGNS = f"""
    SELECT job_id, valid_from, valid_to, {_SPEC} FROM (
        SELECT job_id, valid_from, valid_to, jsonb_populate_record(NULL::jobs_job, definition) AS definition
        FROM jobs_jobversion
        UNION ALL
        SELECT job.id, plan_from, clock_timestamp(), job FROM jobs_job AS job JOIN jobs_cursor ON job_id = job.id
        WHERE enabled AND NOT paused AND archived_at IS NULL AND error = ''
    ) AS reign
    WHERE (definition).kind <> 'manual' AND valid_from < %s AND valid_to > %s
"""
_GAPS = f"""
    SELECT gap.job_id, after, until, {_SPEC}
    FROM jobs_slotgap AS gap CROSS JOIN LATERAL (
        SELECT jsonb_populate_record(NULL::jobs_job, coalesce(
            (SELECT kept.definition FROM jobs_jobversion AS kept
             WHERE kept.job_id = gap.job_id AND kept.version >= gap.version ORDER BY kept.version LIMIT 1),
            (SELECT to_jsonb(job) FROM jobs_job AS job WHERE job.id = gap.job_id))) AS definition
    ) AS kept
    WHERE reason <> '{GapReason.INVALID}' AND after < %s AND until > %s
"""


class Ledger(NamedTuple):
    """How often each slot in a window is expected, a run, and in a gap."""

    expected: Counter[RunKey]
    rows: Counter[RunKey]
    gaps: Counter[RunKey]

    @property
    def missing(self) -> list[RunKey]:
        """Check 1: expected and neither a run nor in a gap."""
        return sorted((self.expected - self.rows) - self.gaps)

    @property
    def doubled(self) -> list[RunKey]:
        """Accounted for more than once."""
        return sorted(key for key, times in (self.rows + self.gaps).items() if times > 1)

    @property
    def unforeseen(self) -> list[RunKey]:
        """Check 5: a run where the preview shows no slot."""
        return sorted(self.rows - self.expected)


def read(live: Live, window: Window) -> Ledger:
    """The ledger of a window."""
    query = "SELECT job_id, scheduled_for FROM jobs_jobrun WHERE trigger = 'schedule' AND scheduled_for > %s"
    rows = Counter(RunKey(*row) for row in live.sql(f"{query} AND scheduled_for <= %s", *window))
    return Ledger(_slots(live, _REIGNS, window), rows, _slots(live, _GAPS, window))


def _slots(live: Live, query: str, window: Window) -> Counter[RunKey]:
    """The slots of definitions, each within its span and the window."""
    found: Counter[RunKey] = Counter()
    for job_id, after, until, *spec in live.sql(query, window.until, window.after):
        span = Window(max(after, window.after), min(until, window.until))
        found.update(RunKey(job_id, slot) for slot in _previewed(ScheduleSpec(*spec), span))
    return found


def _previewed(spec: ScheduleSpec, span: Window) -> Iterator[datetime]:
    count = build(spec).count(span.after, span.until, _MOST_SLOTS)
    return (slot.instant for slot in preview(spec, span.after, count))
