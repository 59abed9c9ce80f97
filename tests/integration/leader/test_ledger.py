"""I1 over random lives of a job: each slot, by the definition in force then, is in one run or in one gap."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobs.domain.schedules import ScheduleSpec, build
from jobs.models import Job, JobRun, SlotGap
from jobs.models.job import SCHEDULE_FIELDS
from jobs.store.terms import Term
from tests.support.leading import edit, emit, job_at
from tests.support.times import MINUTE, NOON, SECOND

SCHEDULES: list[dict[str, Any]] = [
    {"kind": "cron", "cron": "* * * * *", "interval_seconds": None, "anchor_at": None},
    {"kind": "cron", "cron": "*/7 * * * *", "interval_seconds": None, "anchor_at": None},
    {"kind": "interval", "cron": "", "interval_seconds": 45, "anchor_at": NOON},
    {"kind": "interval", "cron": "", "interval_seconds": 400, "anchor_at": NOON - MINUTE},
]
CHANGES: list[dict[str, Any]] = [
    *SCHEDULES,
    {"enabled": False},
    {"enabled": True},
    {"paused": True, "paused_until": None},
    {"paused": False, "paused_until": None},
    {"description": "no change of the schedule"},
    {},
]
POLICIES = st.fixed_dictionaries(
    {
        "catch_up": st.sampled_from(["latest", "all", "skip"]),
        "catch_up_limit": st.integers(1, 4),
        "starting_deadline_seconds": st.sampled_from([None, 30, 300]),
        "concurrency_policy": st.sampled_from(["allow", "forbid", "replace"]),
    }
)
STEPS = st.lists(
    st.tuples(
        st.integers(1, 1500),  # seconds until the step
        st.sampled_from(["tick", "tick", "edit", "pause for a while"]),
        st.sampled_from(CHANGES),
    ),
    min_size=1,
    max_size=12,
)


@dataclass
class Reign:
    """Which schedule was in force in (start, end]."""

    start: datetime
    end: datetime
    spec: ScheduleSpec


def live(term: Term, policies: dict[str, Any], steps: list[tuple[int, str, dict[str, Any]]]) -> tuple[Job, list[Reign]]:
    """Let a job live; returns it and the schedules it had."""
    now = NOON
    job = job_at(now, **SCHEDULES[0], **policies)
    reigns = [Reign(now, now, job.spec)]
    for seconds, what, change in steps:
        now += seconds * SECOND
        if what == "tick":
            emit(term, now)
            continue
        until = now + 3 * MINUTE
        edit(job, now, **({"paused": True, "paused_until": until} if what == "pause for a while" else change))
        if job.spec != reigns[-1].spec:
            reigns[-1].end = now
            reigns.append(Reign(now, now, job.spec))
    reigns[-1].end = now + 30 * MINUTE
    edit(job, now, enabled=True, paused=False, paused_until=None)
    emit(term, reigns[-1].end)
    return job, reigns


def accounted(job: Job) -> Counter[datetime]:
    """How often each slot is accounted for: as a run, or in a gap by the definition that the gap names."""
    found = Counter(JobRun.objects.filter(job=job).values_list("scheduled_for", flat=True))
    for gap in SlotGap.objects.filter(job=job):
        inside = build(_spec(job, gap.version)).between(gap.after, gap.until)
        assert gap.count == len(inside)
        found.update(inside)
    return found


def _spec(job: Job, version: int) -> ScheduleSpec:
    with connection.cursor() as cursor:
        cursor.execute(
            f"""SELECT {", ".join(SCHEDULE_FIELDS)} FROM jsonb_populate_record(NULL::jobs_job, coalesce(
                (SELECT definition FROM jobs_jobversion WHERE job_id = %(job)s AND version >= %(version)s
                 ORDER BY version LIMIT 1),
                (SELECT to_jsonb(job) FROM jobs_job AS job WHERE id = %(job)s)))""",
            {"job": job.pk, "version": version},
        )
        return ScheduleSpec(*cursor.fetchone())


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(policies=POLICIES, steps=STEPS)
def test_b153_each_slot_of_a_job_is_in_one_run_or_in_one_gap(
    term: Term, policies: dict[str, Any], steps: list[tuple[int, str, dict[str, Any]]]
) -> None:
    """I1."""
    undo = transaction.savepoint()
    try:
        job, reigns = live(term, policies, steps)
        expected = Counter(slot for reign in reigns for slot in build(reign.spec).between(reign.start, reign.end))
        assert accounted(job) == expected
    finally:
        transaction.savepoint_rollback(undo)
