"""The preview: the engine's slots, and nothing written."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from jobs.admin import preview
from jobs.admin.preview import rows
from jobs.domain.schedules import ScheduleSpec
from jobs.domain.schedules import preview as engine_preview
from jobs.models import Job, JobCursor
from tests.integration.admin.conftest import PREVIEW, form
from tests.support.factories import make_job


@pytest.mark.parametrize(
    "fields",
    [
        {"cron": "30 2 * * *", "timezone": "Europe/Berlin"},
        {"kind": "interval", "interval_seconds": 5400, "anchor_at": "2026-01-01T00:00:00+00:00"},
        {"kind": "once", "once_at": "2099-01-01T00:00:00+00:00"},
    ],
)
def test_shows_exactly_the_slots_of_the_engine(
    admin_client: Client, fields: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """I7: the leader's slots come from the same function."""
    now = datetime.fromisoformat("2026-10-20T12:00:00+00:00")
    monkeypatch.setattr("jobs.clock.utcnow", lambda: now)
    content = admin_client.post(PREVIEW, form(**fields)).content.decode()

    values = {"kind": "cron", **fields}
    for name in ("anchor_at", "once_at"):
        if name in values:
            values[name] = datetime.fromisoformat(values[name])
    expected = engine_preview(ScheduleSpec(**values), now, 10)
    shown = re.findall(r"<td>(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)</td>", content)
    assert shown == [f"{slot.instant:%Y-%m-%d %H:%M:%S}" for slot in expected]


def test_marks_where_the_clocks_change() -> None:
    spec = ScheduleSpec("cron", cron="30 2 * * *", timezone="Europe/Berlin")
    slots = engine_preview(spec, datetime.fromisoformat("2027-03-26T12:00:00+00:00"), 3)

    first, moved, after = rows(slots)
    assert (first.local, first.offset, first.utc) == ("Sat 2027-03-27 02:30:00", "+01:00", "2027-03-27 01:30:00")
    assert (moved.local, moved.offset) == ("Sun 2027-03-28 03:00:00", "+02:00")
    assert moved.note.startswith("moved")
    assert after.note == ""


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"cron": "61 * * * *"}, "minute 61 is outside 0-59"),
        ({"timezone": "<script>"}, "&lt;script&gt;"),
        ({"start_at": "soon"}, "is not a date and time"),
        ({"interval_seconds": "7"}, "belongs to kind"),
        ({"kind": "calendar", "calendar_every": "1"}, "missing"),
        ({"kind": ""}, "required"),
    ],
)
def test_says_what_is_wrong_and_where(admin_client: Client, fields: dict[str, str], said: str) -> None:
    response = admin_client.post(PREVIEW, form(**fields))

    assert response.status_code == 200
    assert said in response.content.decode()
    assert "<table" not in response.content.decode()


def test_needs_no_name_and_no_task(admin_client: Client) -> None:
    content = admin_client.post(PREVIEW, {"kind": "interval", "interval_seconds": "60", "timezone": "UTC"}).content
    assert b"Every minute" in content


def test_writes_nothing(admin_client: Client) -> None:
    """I8."""
    job = make_job(name="nightly")
    before = list(Job.objects.values()), list(JobCursor.objects.values())
    with CaptureQueriesContext(connection) as queries:
        admin_client.post(PREVIEW, form(cron="0 0 * * *"))
        admin_client.get(f"/admin/jobs/job/{job.pk}/change/")

    assert [query["sql"] for query in queries if not query["sql"].startswith(("SELECT", "-- "))] == []
    assert before == (list(Job.objects.values()), list(JobCursor.objects.values()))


def test_is_for_those_who_may_see_jobs(client: Client, member: Any) -> None:
    assert client.post(PREVIEW, form()).status_code == 302  # to the login
    staff = member()
    assert staff.post(PREVIEW, form()).status_code == 403


def test_refuses_reads_and_forged_posts(admin_client: Client, admin_user: Any) -> None:
    assert admin_client.get(PREVIEW).status_code == 405
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(admin_user)
    assert strict.post(PREVIEW, form()).status_code == 403


def test_any_text_is_answered_quickly(admin_client: Client) -> None:
    for text in ("*" * 512, "0 0 */31 2 1#2", "🙂 * * * *", "9" * 400 + " * * * *"):
        assert admin_client.post(PREVIEW, form(cron=text)).status_code == 200


def test_a_schedule_that_is_over_says_so() -> None:
    long_ago = datetime.fromisoformat("2020-01-01T00:00:00+00:00")
    assert "No slot is ahead" in preview.panel(ScheduleSpec("once", once_at=long_ago))
