"""Clock changes as the leader lives through them: what is emitted is what the case, and the preview, say."""

from __future__ import annotations

from datetime import datetime

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from jobs.domain.schedules import ScheduleSpec, preview
from jobs.models import Job, JobRun
from jobs.store.terms import Term
from tests.integration.admin.conftest import ADD, PREVIEW, form
from tests.support.clock_vectors import Vector, live_through, make_season, tick, vectors
from tests.support.factories import make_job
from tests.support.leading import cursor_of, emit, gaps, job_at, set_clock, slots
from tests.support.times import HOUR, MINUTE, NOON, SECOND


def vector(name: str) -> Vector:
    return vectors()[name]


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_b001_a_daily_job_runs_once_on_the_day_the_clocks_go_back(term: Term) -> None:
    assert live_through(term, vector("B001")) == vector("B001").slots
    assert not JobRun.objects.filter(scheduled_for=at("2026-10-25T01:00Z")).exists()


def test_b002_a_skipped_time_runs_after_the_gap_and_no_day_is_left_out(term: Term) -> None:
    assert live_through(term, vector("B002")) == vector("B002").slots


def test_b003_an_hourly_job_runs_in_both_passes_of_the_repeated_hour(term: Term) -> None:
    assert live_through(term, vector("B003")) == vector("B003").slots


def test_b004_an_evening_job_is_not_early_on_the_day_after_the_change(term: Term) -> None:
    assert live_through(term, vector("B004")) == vector("B004").slots


def test_b005_a_leader_from_before_the_change_keeps_no_old_offset(term: Term) -> None:
    assert live_through(term, vector("B005")) == vector("B005").slots


def test_b008_a_time_that_does_not_exist_holds_up_no_other_job(term: Term) -> None:
    change = at("2016-03-13T08:00Z")
    make_season(change, change)
    job = job_at(change - HOUR, cron="30 2 * * *", timezone="America/Chicago")
    other = job_at(change - 5 * MINUTE, cron="*/1 * * * *")
    for minute in range(-5, 46):
        tick(term, change + minute * MINUTE)
    assert slots(job) == [change]
    assert slots(other) == [change + minute * MINUTE for minute in range(-4, 46)]


def test_b014_a_job_of_every_second_hour_emits_no_extra_run(term: Term) -> None:
    for name in ("B014a", "B014b"):
        assert live_through(term, vector(name)) == vector(name).slots


def test_b017_a_weekly_job_does_not_lose_the_week_of_23_hours(term: Term) -> None:
    assert live_through(term, vector("B017")) == vector("B017").slots


def test_b018_a_slot_in_another_month_is_at_that_months_wall_time(term: Term) -> None:
    assert live_through(term, vector("B018")) == vector("B018").slots


def test_b020_skipped_times_that_fall_together_are_one_run(term: Term) -> None:
    for name in ("B020a", "B020b", "B020c"):
        assert live_through(term, vector(name)) == vector(name).slots


@pytest.mark.parametrize("name", ["B009", "B010", "B011", "B015"])
def test_b011_slots_are_emitted_in_the_order_of_time_and_once_each(term: Term, name: str) -> None:
    assert live_through(term, vector(name)) == vector(name).slots


@pytest.mark.parametrize("name", ["B012a", "B012b", "B012c", "B012d", "B012e"])
def test_b012_changes_of_half_an_hour_and_of_two_are_emitted_right(term: Term, name: str) -> None:
    assert live_through(term, vector(name)) == vector(name).slots


@pytest.mark.parametrize("name", ["B022a", "B022b", "B022c"])
def test_b022_a_time_near_a_change_is_neither_lost_nor_doubled(term: Term, name: str) -> None:
    assert live_through(term, vector(name)) == vector(name).slots


@pytest.mark.parametrize("where", ["preview", "page"])
def test_b022_form_and_page_say_which_rule_holds_at_the_next_change(
    admin_client: Client, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.setattr("jobs.clock.utcnow", lambda: at("2026-01-10T00:00Z"))
    fields = {"cron": "30 2 * * *", "timezone": "America/New_York"}
    if where == "preview":
        content = admin_client.post(PREVIEW, form(**fields)).content.decode()
    else:
        content = admin_client.get(f"/admin/jobs/job/{make_job(**fields).pk}/change/").content.decode()
    assert (
        "The clocks go forward on Sun 2026-03-08 from 02:00 to 03:00. A skipped time fires at 03:00, once." in content
    )


def test_b024_an_instant_without_an_offset_is_the_jobs_wall_time_and_fires_then(
    term: Term, admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs.clock.utcnow", lambda: NOON)
    set_clock(NOON)
    typed = form(kind="once", once_at="2026-03-02 12:00:07", timezone="America/New_York")
    assert admin_client.post(ADD, typed).status_code == 302
    job = Job.objects.get()
    assert job.once_at == at("2026-03-02T17:00:07Z")
    page = admin_client.get(f"/admin/jobs/job/{job.pk}/change/").content.decode()
    assert 'value="2026-03-02 12:00:07-05:00"' in page
    emit(term, at("2026-03-02T17:00:06Z"))
    assert slots(job) == []
    emit(term, at("2026-03-02T17:00:07Z"))
    assert slots(job) == [at("2026-03-02T17:00:07Z")]


def test_b024_code_that_leaves_the_offset_out_is_refused(db: None) -> None:
    with pytest.raises(ValidationError, match="has no UTC offset"):
        make_job(kind="once", once_at=datetime(2099, 1, 1, 12))


@pytest.mark.parametrize("name", ["B021a", "B021b"])
def test_b021_what_is_shown_is_what_is_emitted(term: Term, name: str) -> None:
    """I7."""
    case = vector(name)
    shown = preview(ScheduleSpec("cron", cron=case.cron, timezone=case.timezone), case.start - SECOND, 10)
    assert live_through(term, case) == [slot.instant for slot in shown if slot.instant < case.end] == case.slots


@pytest.mark.parametrize("saved_at", ["2026-06-01T00:00Z", "2026-06-01T09:00Z"])
def test_b025_the_first_run_of_a_new_job_is_in_the_jobs_zone(term: Term, saved_at: str) -> None:
    make_season(at(saved_at), at(saved_at))
    job = job_at(at(saved_at), cron="0 9 * * *", timezone="America/Los_Angeles")
    emit(term, at("2026-06-01T15:59:59Z"))
    assert slots(job) == []
    assert cursor_of(job).next_run_at == at("2026-06-01T16:00Z")
    emit(term, at("2026-06-01T16:00Z"))
    assert slots(job) == [at("2026-06-01T16:00Z")]
    assert gaps(job) == []
