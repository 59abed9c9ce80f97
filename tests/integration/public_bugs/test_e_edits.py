"""An edit never fires what is past and loses nothing that is due, by whatever way it is written."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from jobs.models import Job, JobRun, JobVersion
from jobs.store.terms import Term
from tests.support.factories import make_job
from tests.support.leading import cursor_of, emit, gaps, job_at, plan, set_clock, slots
from tests.support.times import DAY, HOUR, MINUTE, NOON, SECOND
from tests.support.writing import WAYS, Write, by_action, by_form

MIDNIGHT = NOON - 12 * HOUR
EVERY_WAY = pytest.mark.parametrize("write", WAYS.values(), ids=WAYS)


def at(text: str) -> datetime:
    return datetime.fromisoformat(f"{text}Z")


EDITS = [
    # saved, its text, edited, the new text, next
    (MIDNIGHT, "0 1 * * *", NOON + 3 * HOUR, "0 2 * * *", MIDNIGHT + DAY + 2 * HOUR),
    (at("2026-02-27T12:00"), "30 11 * * 5", at("2026-03-05T23:49"), "0 11 * * 5", at("2026-03-06T11:00")),
    (NOON, "0 23 * * *", NOON + HOUR, "0 5 * * *", NOON + 17 * HOUR),
    (MIDNIGHT, "0 1 * * *", NOON, "59 11 * * *", NOON + DAY - MINUTE),
]


@EVERY_WAY
@pytest.mark.parametrize(("saved", "cron", "edited", "new", "following"), EDITS)
def test_b077_an_edit_of_the_time_fires_nothing_now_and_the_old_time_no_more(
    term: Term,
    admin_client: Client,
    write: Write,
    saved: datetime,
    cron: str,
    edited: datetime,
    new: str,
    following: datetime,
) -> None:
    job = job_at(saved, cron=cron)
    emit(term, edited)
    ran = slots(job)
    write(admin_client, job, edited, {"cron": new})
    for now in (edited, edited + MINUTE, following - SECOND):
        emit(term, now)
    assert slots(job) == ran
    assert cursor_of(job).next_run_at == following
    emit(term, following)
    assert slots(job) == [*ran, following]


@EVERY_WAY
def test_b077_an_edit_over_due_slots_leaves_a_gap_and_none_fires(
    term: Term, admin_client: Client, write: Write
) -> None:
    job = job_at(NOON - HOUR)
    plan(term)
    write(admin_client, job, NOON + 10 * SECOND, {"cron": "30 * * * *"})
    emit(term, NOON + MINUTE)
    assert slots(job) == []
    assert gaps(job) == [("edited", 60)]
    assert cursor_of(job).next_run_at == NOON + HOUR / 2


@EVERY_WAY
def test_b150_b077_saving_unchanged_over_a_due_slot_loses_nothing_and_fires_it_once(
    term: Term, admin_client: Client, write: Write
) -> None:
    job = job_at(NOON - HOUR, cron="0 * * * *")
    plan(term)
    for second in (10, 11):
        write(admin_client, job, NOON + second * SECOND, {})
    emit(term, NOON + 20 * SECOND)
    write(admin_client, job, NOON + 25 * SECOND, {})
    emit(term, NOON + 30 * SECOND)
    assert slots(job) == [NOON]
    assert gaps(job) == []


@EVERY_WAY
def test_b150_an_edit_of_something_else_never_moves_the_schedule(
    term: Term, admin_client: Client, write: Write
) -> None:
    job = job_at(NOON - HOUR, cron="0 * * * *")
    plan(term)
    write(admin_client, job, NOON + 10 * SECOND, {"description": "new", "max_attempts": 9})
    assert not cursor_of(job).plan_needed
    emit(term, NOON + 20 * SECOND)
    assert slots(job) == [NOON]
    assert JobRun.objects.get(job=job).max_attempts == 9
    assert not JobVersion.objects.filter(job=job).exists()


def test_b150_an_edit_of_arguments_never_moves_the_schedule(term: Term, admin_client: Client) -> None:
    job = job_at(NOON - HOUR, cron="0 * * * *")
    plan(term)
    WAYS["save"](admin_client, job, NOON + 10 * SECOND, {"args": [1], "kwargs": {"a": None}})
    emit(term, NOON + 20 * SECOND)
    assert slots(job) == [NOON]


@pytest.mark.parametrize("way", [*WAYS, "action", "button"])
def test_b078_enabling_again_does_not_fire_what_passed_while_off(term: Term, admin_client: Client, way: str) -> None:
    yesterday, off, on = NOON - DAY + 5 * HOUR, NOON + 4 * HOUR, NOON + 5.5 * HOUR
    job = job_at(NOON - DAY, cron="0 17 * * *")
    emit(term, yesterday)
    switch(admin_client, job, off, way, on=False)
    emit(term, off + MINUTE)
    assert cursor_of(job).next_run_at is None
    switch(admin_client, job, on, way, on=True)
    emit(term, on + MINUTE)
    assert slots(job) == [yesterday]
    assert gaps(job) == [("paused" if way == "action" else "disabled", 1)]
    assert cursor_of(job).next_run_at == NOON + DAY + 5 * HOUR
    assert f"{JobRun.objects.get(job=job).key}" in admin_client.get("/admin/jobs/job/").content.decode()


def switch(client: Client, job: Job, now: datetime, way: str, *, on: bool) -> None:
    """The list's action pauses and resumes; the button enables what the form disabled."""
    if way == "action":
        by_action(client, job, now, "resume_selected" if on else "pause_selected")
    elif way == "button" and on:
        set_clock(now)
        client.post(f"/admin/jobs/job/{job.pk}/enable/")
    else:
        WAYS.get(way, by_form)(client, job, now, {"enabled": on})


CHANGES: dict[str, tuple[dict[str, Any], datetime | None]] = {
    "edited": ({"cron": "15 * * * *"}, NOON + 15 * MINUTE),
    "moved to another zone": ({"timezone": "Asia/Kathmandu"}, NOON + 15 * MINUTE),
    "disabled": ({"enabled": False}, None),
}


@EVERY_WAY
@pytest.mark.parametrize(("fields", "following"), CHANGES.values(), ids=CHANGES)
def test_b079_b080_what_is_written_holds_from_the_next_tick_on(
    term: Term, admin_client: Client, write: Write, fields: dict[str, Any], following: datetime | None
) -> None:
    job = job_at(NOON - HOUR, cron="0 * * * *")
    emit(term, NOON)
    write(admin_client, job, NOON + 30 * SECOND, fields)
    emit(term, NOON + 31 * SECOND)
    assert cursor_of(job).next_run_at == following
    emit(term, NOON + 40 * MINUTE)
    assert slots(job) == [NOON, *([following] if following else [])]


def test_b080_a_run_queued_before_its_job_was_disabled_is_shown_and_still_runs(
    term: Term, admin_client: Client
) -> None:
    job = job_at(NOON - MINUTE)
    emit(term, NOON)
    WAYS["form"](admin_client, job, NOON + 30 * SECOND, {"enabled": False})
    emit(term, NOON + 10 * MINUTE)
    assert slots(job) == [NOON]
    shown = admin_client.get(f"/admin/jobs/jobrun/?job={job.pk}&since=all").context["cl"].result_list
    assert [run.status for run in shown] == ["queued"]


def test_b082_b083_a_one_off_runs_at_its_second_and_stops_no_other_job(term: Term) -> None:
    others = [job_at(NOON - SECOND) for _ in range(3)]
    once = job_at(NOON, kind="manual")
    when = NOON + 36 * SECOND
    WAYS["SQL"](Client(), once, NOON, {"kind": "once", "once_at": when})
    emit(term, when - SECOND)
    assert (slots(once), cursor_of(once).next_run_at) == ([], when)
    emit(term, when)
    assert (slots(once), cursor_of(once).next_run_at) == ([when], None)
    for minute in range(1, 4):
        emit(term, NOON + minute * MINUTE)
    assert [slots(job) for job in others] == [[NOON + n * MINUTE for n in range(4)]] * 3
    assert slots(once) == [when]


def test_b083_a_one_off_in_the_past_is_refused(db: None) -> None:
    with pytest.raises(ValidationError, match="has passed"):
        make_job(kind="once", once_at=NOON)
