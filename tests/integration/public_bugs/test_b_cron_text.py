"""Definitions that cannot work: refused on every way to save, and harmless where they were put past all checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from jobs.domain.preview_lines import answer
from jobs.domain.schedules import ScheduleSpec, preview
from jobs.models import Job
from jobs.services.plan import plan_waiting
from jobs.store.terms import Term
from tests.integration.admin.conftest import ADD, PREVIEW, errors, form
from tests.support.clock_vectors import live_through, vectors
from tests.support.elsewhere import sql
from tests.support.factories import make_job
from tests.support.leading import cursor_of, edit_by_sql, emit, job_at, set_clock, slots
from tests.support.times import MINUTE, NOON, SECOND

SHOWN_FIRST = {
    "0 0 1-7,14-21 * Wed": ["2022-05-19", "2022-05-20", "2022-05-21", "2022-05-25"],
    "30 18 21-31 * */6": ["2022-05-21", "2022-05-22", "2022-05-28", "2022-05-29"],
}
IMPOSSIBLE = ["0 0 31 2 *", "0 12 31 4 *", "0 0 30 2 *", "0 0 * * 8", "60 * * * *", "* * 0 * *", "1.5 * * * *", ""]
PAST_ALL_CHECKS = {
    "a date that never comes": "cron = '0 0 31 2 *'",
    "another such date": "cron = '0 12 31 4 *'",
    "no cron text": "cron = 'whenever'",
    "an unknown zone": "timezone = 'Mars/Olympus'",
}


@pytest.mark.parametrize("name", ["B032", "B033a", "B033b", "B033c"])
def test_b032_b033_both_day_fields_are_emitted_as_the_preview_shows_them(term: Term, name: str) -> None:
    case = vectors()[name]
    shown = preview(ScheduleSpec("cron", cron=case.cron, timezone=case.timezone), case.start - SECOND, 10)
    assert live_through(term, case) == [slot.instant for slot in shown if slot.instant < case.end] == case.slots


@pytest.mark.parametrize("cron", SHOWN_FIRST)
def test_b032_the_form_shows_the_coming_days_before_it_is_saved(
    admin_client: Client, monkeypatch: pytest.MonkeyPatch, cron: str
) -> None:
    monkeypatch.setattr("jobs.clock.utcnow", lambda: vectors()["B032"].start)
    content = admin_client.post(PREVIEW, form(cron=cron)).content.decode()
    places = [content.index(f"{day} ") for day in SHOWN_FIRST[cron]]
    assert places == sorted(places)
    assert not Job.objects.exists()


def test_b036_six_fields_are_read_by_nobody(admin_client: Client) -> None:
    said = "For seconds use an interval"
    assert said in errors(admin_client.post(ADD, form(cron="0 30 9 * * *")))["cron"][0]
    with pytest.raises(ValidationError, match=said):
        make_job(cron="0 30 9 * * *")
    line = '{"expr": "0 30 9 * * *", "tz": "UTC", "after": "2026-01-01T00:00:00+00:00", "count": 1}'
    assert said in str(answer(line)["error"])


def by_create(cron: str) -> None:
    Job.objects.create(name="wrong", kind="cron", cron=cron, task="tests.noop")


def by_update_or_create(cron: str) -> None:
    make_job(name="wrong")
    Job.objects.update_or_create(name="wrong", defaults={"cron": cron})


def by_save(cron: str) -> None:
    job = make_job(name="wrong")
    job.cron = cron
    job.save()


@pytest.mark.parametrize("cron", IMPOSSIBLE)
@pytest.mark.parametrize("write", [by_create, by_update_or_create, by_save])
def test_b038_code_cannot_save_a_text_that_never_runs(db: None, write: Callable[[str], None], cron: str) -> None:
    with pytest.raises(ValidationError) as caught:
        write(cron)
    assert list(caught.value.message_dict) == ["cron"]
    assert not Job.objects.exclude(cron="* * * * *").exists()


@pytest.mark.parametrize("cron", IMPOSSIBLE)
def test_b038_the_form_cannot_save_a_text_that_never_runs(admin_client: Client, cron: str) -> None:
    assert list(errors(admin_client.post(ADD, form(cron=cron)))) == ["cron"]
    job = make_job(name="nightly")
    found = errors(admin_client.post(f"/admin/jobs/job/{job.pk}/change/", form(cron=cron, version="1")))
    assert list(found) == ["cron"]
    assert Job.objects.get().cron == "* * * * *"


def by_bulk_create() -> None:
    Job.objects.bulk_create([Job(name="wrong", kind="cron", cron="0 0 31 2 *", task="tests.noop")])


def by_queryset_update() -> None:
    Job.objects.filter(pk=make_job(name="wrong").pk).update(cron="0 0 31 2 *")


def by_sql() -> None:
    sql("INSERT INTO jobs_job (name, kind, cron, task) VALUES ('wrong', 'cron', '0 0 31 2 *', 'tests.noop')")


@pytest.mark.parametrize("write", [by_bulk_create, by_queryset_update, by_sql])
def test_b038_what_was_written_past_the_checks_is_shown_as_parked_after_one_tick(
    term: Term, admin_client: Client, caplog: pytest.LogCaptureFixture, write: Callable[[], None]
) -> None:
    set_clock(NOON)
    write()
    emit(term, NOON + MINUTE)
    job = Job.objects.get(name="wrong")
    assert f"job.parked job={job.pk}" in caplog.text
    for address in ("/admin/jobs/job/", "/admin/jobs/job/?state=parked", f"/admin/jobs/job/{job.pk}/change/"):
        content = admin_client.get(address).content.decode()
        assert "parked" in content
        assert "never fires" in content


@pytest.mark.parametrize("assignment", PAST_ALL_CHECKS.values(), ids=PAST_ALL_CHECKS)
def test_b030_b039_a_bad_definition_is_parked_and_the_good_ones_keep_their_cadence(term: Term, assignment: str) -> None:
    bad, *good = (job_at(NOON) for _ in range(3))
    edit_by_sql(bad, NOON, assignment)
    for minute in (1, 2):
        emit(term, NOON + minute * MINUTE)
        assert [slots(job) for job in good] == [[NOON + n * MINUTE for n in range(1, minute + 1)]] * 2
    parked = cursor_of(bad)
    assert parked.error
    assert parked.error_at is not None
    assert (parked.next_run_at, parked.plan_needed, slots(bad)) == (None, False, [])
    assert plan_waiting(term) == 0


def test_b039_a_task_that_nobody_knows_stops_no_other_job(term: Term, admin_client: Client) -> None:
    set_clock(NOON)
    said: Any = admin_client.post(ADD, form(name="unknown", task="no.such.task"), follow=True).context["messages"]
    assert any('knows no task "no.such.task"' in str(message) for message in said)
    good = job_at(NOON)
    for minute in (1, 2):
        emit(term, NOON + minute * MINUTE)
    assert slots(good) == slots(Job.objects.get(name="unknown")) == [NOON + MINUTE, NOON + 2 * MINUTE]
