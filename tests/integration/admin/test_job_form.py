"""The job form: what it saves, and how it refuses."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time
from typing import Any

import pytest
from django.test import Client

from jobs.models import Job, JobCursor
from tests.integration.admin.conftest import ADD, errors, form
from tests.support.elsewhere import Elsewhere
from tests.support.factories import make_job

CALENDAR = {"calendar_every": "2", "calendar_unit": "week", "anchor_date": "2026-10-05", "wall_time": "09:30:00"}


@pytest.mark.parametrize(
    ("fields", "stored"),
    [
        ({"cron": "0 9 * * 1-5"}, {"cron": "0 9 * * 1-5"}),
        (
            {"kind": "interval", "interval_seconds": "900", "anchor_at": "2026-01-01 00:00"},
            {"interval_seconds": 900, "anchor_at": datetime(2026, 1, 1, tzinfo=UTC)},
        ),
        (
            {"kind": "calendar", **CALENDAR, "timezone": "Europe/Berlin"},
            {
                "calendar_every": 2,
                "calendar_unit": "week",
                "anchor_date": date(2026, 10, 5),
                "wall_time": time(9, 30),
            },
        ),
        (
            {"kind": "once", "once_at": "2099-07-01T06:00", "timezone": "Europe/Berlin"},
            {"once_at": datetime(2099, 7, 1, 4, tzinfo=UTC)},
        ),
        ({"kind": "manual"}, {"cron": ""}),
    ],
)
def test_each_kind_of_schedule_is_saved(admin_client: Client, fields: dict[str, Any], stored: dict[str, Any]) -> None:
    response = admin_client.post(ADD, form(**fields))

    assert response.status_code == 302
    job = Job.objects.get(name="nightly")
    assert {name: getattr(job, name) for name in stored} == stored


def test_an_interval_without_an_anchor_counts_from_the_time_of_saving(admin_client: Client) -> None:
    admin_client.post(ADD, form(kind="interval", interval_seconds="60"))

    anchor = Job.objects.get().anchor_at
    assert anchor is not None
    assert anchor.microsecond == 0


@pytest.mark.parametrize(
    ("field", "fields", "said"),
    [
        ("name", {"name": "Bad Name"}, 'Name "Bad Name" may hold only a-z'),
        ("kind", {"kind": ""}, "required"),
        ("cron", {"cron": "61 * * * *"}, "minute 61 is outside 0-59"),
        ("cron", {"cron": "0 30 9 * * *"}, "For seconds use an interval"),
        ("cron", {"cron": ""}, "needs five"),
        ("timezone", {"timezone": "Europe/Berlinn"}, "use Europe/Berlin"),
        ("interval_seconds", {"kind": "interval"}, "missing"),
        ("interval_seconds", {"kind": "interval", "interval_seconds": "0"}, "outside 1-"),
        ("interval_seconds", {"kind": "interval", "interval_seconds": "x"}, "whole number"),
        ("anchor_at", {"kind": "interval", "interval_seconds": "9", "anchor_at": "soon"}, '"soon" is not a date'),
        ("anchor_date", {"kind": "calendar", **CALENDAR, "anchor_date": ""}, "missing"),
        ("once_at", {"kind": "once"}, "missing"),
        ("once_at", {"kind": "once", "once_at": "2020-01-01 00:00"}, "has passed"),
        ("end_at", {"start_at": "2027-01-02 00:00", "end_at": "2027-01-01 00:00"}, "before start_at"),
        ("task", {"task": ""}, "Name the Celery task"),
        ("queue", {"queue": "nowhere"}, 'Queue "nowhere" is not one of jobs.default'),
        ("catch_up_limit", {"catch_up_limit": "0"}, "0 is outside 1 to 10,000"),
        ("soft_timeout_seconds", {"timeout_seconds": "10", "soft_timeout_seconds": "10"}, "must be below"),
        ("labels", {"labels": "[]"}, "JSON object"),
    ],
)
def test_wrong_input_is_named_at_its_field(admin_client: Client, field: str, fields: dict[str, str], said: str) -> None:
    found = errors(admin_client.post(ADD, form(**fields)))

    assert list(found) == [field]
    assert len(found[field]) == 1
    assert said in found[field][0]
    assert not Job.objects.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[135L]", "line 1, column 5"),
        ("{'a': 1}", "double quotes"),
        ('{"a": 1}', "must be a JSON list"),
        ('["caf\\u00e9 \\u0000"]', "U+0000"),
        ("[NaN]", "NaN"),
        ("[1e999]", "Infinity"),
        ('[{"a": 1, "a": 2}]', 'key "a" occurs twice'),
        ("[" * 10_000 + "]" * 10_000, "deeper than 50 levels"),
        ("[" * 60 + "]" * 60, "deeper than 50 levels"),
        (json.dumps(["x" * 1_000_000]), "are allowed"),
        ('["\\ud800"]', "surrogate"),
        ("null", "must be a JSON list"),
    ],
)
def test_b130_arguments_that_cannot_be_sent_are_refused_at_their_field(
    admin_client: Client, text: str, said: str
) -> None:
    """B130: never saved and disabled."""
    found = errors(admin_client.post(ADD, form(args=text)))

    assert list(found) == ["args"]
    assert said in found["args"][0]
    assert not Job.objects.exists()


@pytest.mark.parametrize("text", ["[null]", '["café ☃ \\\\ <b>"]', '[{"a": [1, 2.5, true]}]', "", "[]"])
def test_b130_arguments_arrive_as_they_were_typed(admin_client: Client, text: str) -> None:
    assert admin_client.post(ADD, form(args=text)).status_code == 302

    assert Job.objects.get().args == json.loads(text or "[]")


def test_nothing_that_was_typed_is_lost_when_the_form_comes_back(admin_client: Client) -> None:
    typed = {"name": "Bad", "args": "{'a': <1>}", "start_at": "tomorrow", "timezone": "Mars", "description": "why"}
    response = admin_client.post(ADD, form(**typed))

    shown = response.context["adminform"].form
    assert {name: str(shown[name].value()) for name in typed} == typed
    assert "{&#x27;a&#x27;: &lt;1&gt;}" in response.content.decode()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"kind": "cron", "cron": "* * * * *", "interval_seconds": "60"}, "interval_seconds"),
        ({"kind": "interval", "interval_seconds": "60", "cron": "* * * * *"}, "cron"),
        ({"kind": "once", "once_at": "2099-01-01 00:00", **CALENDAR}, "calendar_every"),
        ({"kind": "manual", "cron": "* * * * *"}, "cron"),
        ({"kind": "cron", "cron": ""}, "cron"),
    ],
)
def test_b131_two_schedules_or_none_are_refused(admin_client: Client, fields: dict[str, str], field: str) -> None:
    """B131, as it reaches the server when no script hides anything."""
    assert list(errors(admin_client.post(ADD, form(**fields)))) == [field]


def test_a_name_is_unique_among_the_living(admin_client: Client) -> None:
    job = make_job(name="nightly")
    assert "exists" in errors(admin_client.post(ADD, form()))["name"][0]

    Job.objects.filter(pk=job.pk).update(archived_at=datetime(2026, 1, 1, tzinfo=UTC))
    assert admin_client.post(ADD, form()).status_code == 302


@pytest.mark.parametrize("taken_before", ["the last check", "the insert"])
def test_a_name_that_is_taken_between_check_and_save_is_said_at_its_field(
    committed: None, admin_client: Client, monkeypatch: pytest.MonkeyPatch, taken_before: str
) -> None:
    check, is_taken = Job.full_clean, False

    def full_clean(job: Job, **options: Any) -> None:
        nonlocal is_taken
        is_saved, was_taken = not options, is_taken
        is_taken = is_taken or is_saved
        if is_saved and not was_taken and taken_before == "the last check":
            there.do(make_job, name="nightly")
        check(job, **options)
        if is_saved and not was_taken and taken_before == "the insert":
            there.do(make_job, name="nightly")

    monkeypatch.setattr(Job, "full_clean", full_clean)
    with Elsewhere() as there:
        found = errors(admin_client.post(ADD, form()))

    assert list(found) == ["name"]
    assert "exists" in found["name"][0]


def test_of_two_editors_the_later_one_is_refused_and_keeps_what_was_typed(admin_client: Client) -> None:
    job = make_job(name="nightly")
    address = f"/admin/jobs/job/{job.pk}/change/"
    assert '<input type="hidden" name="version" value="1"' in admin_client.get(address).content.decode()
    typed = form(version="1", description="mine", args="[1]")
    assert admin_client.post(address, form(version="1", description="theirs")).status_code == 302

    response = admin_client.post(address, typed)
    assert errors(response)["__all__"][0].startswith(
        "This job was changed meanwhile: you opened definition 1, it is now at 2. Nothing was saved"
    )
    shown = response.context["adminform"].form
    assert {name: shown[name].value() for name in ("description", "args")} == {"description": "mine", "args": "[1]"}
    assert '<input type="hidden" name="version" value="1"' in response.content.decode(), "sent again, refused again"
    assert Job.objects.get().description == "theirs"
    assert admin_client.post(address, {**typed, "version": "2"}).status_code == 302


def test_a_form_that_does_not_say_what_it_was_opened_with_changes_nothing(admin_client: Client) -> None:
    job = make_job(name="nightly")
    found = errors(admin_client.post(f"/admin/jobs/job/{job.pk}/change/", form()))
    assert "you opened definition unknown" in found["__all__"][0]


def test_a_save_without_a_change_moves_nothing(admin_client: Client) -> None:
    """I8, to the microsecond and in a zone with an offset."""
    job = make_job(
        name="nightly",
        timezone="Asia/Kolkata",
        start_at=datetime(2026, 1, 1, 0, 0, 0, 250_000, tzinfo=UTC),
        args=["ü"],
    )
    before = JobCursor.objects.values().get(pk=job.pk)
    address = f"/admin/jobs/job/{job.pk}/change/"
    shown = admin_client.get(address).context["adminform"].form
    sent = {name: shown[name].value() for name in shown.fields if shown[name].value() not in (None, "")}

    response = admin_client.post(address, {**sent, "args": '["ü"]', "kwargs": "{}", "labels": "{}"})
    assert response.status_code == 302, errors(response)
    after = Job.objects.get(pk=job.pk)
    assert (after.version, after.start_at) == (1, job.start_at)
    assert JobCursor.objects.values().get(pk=job.pk) == before


@pytest.mark.parametrize(
    ("typed", "instant"),
    [
        ("2026-10-25 02:30", datetime(2026, 10, 25, 0, 30, tzinfo=UTC)),  # repeated: the first pass
        ("2026-10-25 02:30+01:00", datetime(2026, 10, 25, 1, 30, tzinfo=UTC)),
        ("2027-03-28 02:30", datetime(2027, 3, 28, 1, 0, tzinfo=UTC)),  # skipped: the first instant after the gap
    ],
)
def test_an_instant_is_a_wall_time_of_the_jobs_zone(admin_client: Client, typed: str, instant: datetime) -> None:
    admin_client.post(ADD, form(start_at=typed, timezone="Europe/Berlin"))

    assert Job.objects.get().start_at == instant


def test_what_is_probably_not_meant_is_said_after_saving(admin_client: Client) -> None:
    response = admin_client.post(ADD, form(cron="*/90 * * * *"), follow=True)

    said = " ".join(str(message) for message in response.context["messages"])
    assert "the step is larger than the field" in said
    assert 'knows no task "tests.noop"' in said
    assert '"jobs.default"' in said


def test_a_definition_that_raw_sql_made_invalid_is_shown_and_can_be_mended(admin_client: Client) -> None:
    job = make_job(name="nightly")
    Job.objects.filter(pk=job.pk).update(timezone="Mars/Base", cron="0 25 * * *")
    address = f"/admin/jobs/job/{job.pk}/change/"

    assert b"parked" in admin_client.get("/admin/jobs/job/").content
    assert b"Mars/Base" in admin_client.get(address).content
    assert admin_client.post(address, form(version="2")).status_code == 302
