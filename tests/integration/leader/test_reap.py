"""Lost leases and missed start deadlines."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest

from jobs.models import Job, JobRun
from jobs.services.reap import reap_expired, sweep_missed
from jobs.store.runs import NewRun, insert_runs
from tests.support.leading import job_at
from tests.support.times import DAY, MINUTE, NOON, SECOND

pytestmark = pytest.mark.usefixtures("term")
LEASE = timedelta(seconds=30)


def run_of(job: Job, **fields: Any) -> JobRun:
    """A queued run of NOON, changed as told."""
    slot = fields.pop("slot", NOON)
    insert_runs([NewRun(job.pk, slot, slot, "jobs.default", deadline_seconds=job.starting_deadline_seconds)])
    JobRun.objects.filter(job=job, scheduled_for=slot).update(**fields)
    return JobRun.objects.get(job=job, scheduled_for=slot)


def leased(job: Job, **fields: Any) -> JobRun:
    held = {
        "status": "running",
        "locked_by": uuid.uuid4(),
        "locked_until": NOON + LEASE,
        "token": 3,
        "attempts": 1,
        "dispatched_at": NOON,
        "started_at": NOON,
    }
    return run_of(job, **{**held, **fields})


def test_a_lease_is_kept_until_it_ends() -> None:
    run = leased(job_at(NOON))
    assert reap_expired(now=NOON + LEASE) == 0
    assert reap_expired(now=NOON + LEASE + SECOND) == 1
    assert reap_expired(now=NOON + LEASE + SECOND) == 0
    run.refresh_from_db()
    assert run.status == "queued"


def test_a_lost_run_goes_back_with_a_pause_its_attempts_as_they_were_and_no_deadline() -> None:
    run = leased(job_at(NOON, starting_deadline_seconds=60), losses=1)
    reap_expired(now=NOON + MINUTE)
    run.refresh_from_db()
    assert (run.status, run.attempts, run.losses, run.token) == ("queued", 1, 2, 3)
    assert (run.locked_by, run.locked_until, run.dispatched_at, run.start_by) == (None, None, None, None)
    assert run.run_after == NOON + MINUTE + 2 * SECOND
    assert (run.errors[-1]["kind"], run.errors[-1]["attempt"]) == ("lost", 1)
    assert "lease" in run.last_error


@pytest.mark.parametrize(
    ("fields", "number"),
    [
        ({"attempts": 0, "started_at": None}, None),
        ({"attempts": 1, "started_at": NOON - MINUTE}, None),  # of the attempt before
        ({"attempts": 1, "started_at": None, "losses": 1}, 1),  # counted by its claim
        ({"attempts": 2, "started_at": NOON + SECOND}, 2),
    ],
)
def test_a_lost_attempt_is_named_only_when_its_start_was_noted(fields: dict[str, Any], number: int | None) -> None:
    run = leased(job_at(NOON), **fields)
    reap_expired(now=NOON + MINUTE)
    run.refresh_from_db()
    assert (run.status, run.errors[-1].get("attempt"), run.attempts) == ("queued", number, fields["attempts"])
    assert ("not counted" in run.last_error) == (number is None)


@pytest.mark.parametrize(
    ("job_fields", "fields", "status"),
    [
        ({}, {"cancel_requested_at": NOON}, "cancelled"),
        ({"delivery": "at_most_once"}, {}, "dead"),
        ({"max_attempts": 5}, {"attempts": 5}, "dead"),
    ],
)
def test_a_lost_run_ends_when_it_must_not_start_again(
    job_fields: dict[str, Any], fields: dict[str, Any], status: str
) -> None:
    run = leased(job_at(NOON, **job_fields), **fields)
    reap_expired(now=NOON + MINUTE)
    run.refresh_from_db()
    assert run.status == status
    assert run.finished_at is not None
    assert "lease" in run.last_error


def test_b088_a_lease_that_lies_far_ahead_is_of_a_clock_set_back_and_ends() -> None:
    """I5."""
    run = leased(job_at(NOON), locked_until=NOON + 2 * LEASE + SECOND)
    assert reap_expired(now=NOON) == 1
    run.refresh_from_db()
    assert run.status == "queued"


def test_old_partitions_are_left_to_the_sweep() -> None:
    run = leased(job_at(NOON), slot=NOON - 5 * DAY, locked_until=NOON)
    assert reap_expired(now=NOON + MINUTE) == 0
    assert reap_expired(now=NOON + MINUTE, everywhere=True) == 1
    run.refresh_from_db()
    assert run.status == "queued"


def test_the_history_of_attempts_stays_bounded() -> None:
    run = leased(job_at(NOON), errors=[{"attempt": n} for n in range(20)])
    reap_expired(now=NOON + MINUTE)
    run.refresh_from_db()
    assert len(run.errors) == 20
    assert run.errors[0] == {"attempt": 1}


def test_a_run_that_nobody_started_by_its_deadline_is_missed() -> None:
    job = job_at(NOON, starting_deadline_seconds=60)
    run = run_of(job)
    assert sweep_missed(now=NOON + MINUTE) == 0
    assert sweep_missed(now=NOON + MINUTE + SECOND) == 1
    run.refresh_from_db()
    assert (run.status, run.finished_at is not None) == ("missed", True)


def test_a_running_run_and_one_without_a_deadline_are_not_missed() -> None:
    leased(job_at(NOON, starting_deadline_seconds=60))
    run_of(job_at(NOON))
    run_of(job_at(NOON, starting_deadline_seconds=60), start_by=None)  # a retry
    assert sweep_missed(now=NOON + DAY, everywhere=True) == 0
