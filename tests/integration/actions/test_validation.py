"""A definition that cannot work is refused at save: field, value, what is allowed, what to do."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from jobs.models import Job
from tests.support.factories import make_endpoint, make_job

pytestmark = pytest.mark.django_db
PLACEHOLDERS = "Allowed are {{ run }}, {{ job }}, {{ scheduled_for }}, {{ attempt }}."
PAST, FUTURE = datetime(2020, 1, 1, tzinfo=UTC), datetime(2999, 1, 1, tzinfo=UTC)

FAULTS: list[tuple[dict[str, Any], str, str]] = [
    (
        {"name": "Daily Report"},
        "name",
        'Name "Daily Report" may hold only a-z, 0-9, dot, underscore and hyphen, 1 to 100 of them.',
    ),
    ({"name": ""}, "name", 'Name "" may hold only a-z, 0-9, dot, underscore and hyphen, 1 to 100 of them.'),
    *(
        (
            {"name": name},
            "name",
            f'Name "{name}" is of dots alone, which a URL takes for a way up. Add a letter, digit, _ or -.',
        )
        for name in (".", "..", "." * 100)
    ),
    ({"name": None}, "name", "name None must be a text."),
    ({"cron": "61 * * * *"}, "cron", 'Cron "61 * * * *" is invalid: minute 61 is outside 0-59.'),
    (
        {"kind": "hourly"},
        "kind",
        'Kind "hourly" is unknown; allowed are cron, interval, calendar, once, manual.',
    ),
    (
        {"start_at": FUTURE, "end_at": PAST},
        "end_at",
        "end_at 2020-01-01T00:00:00+00:00 is before start_at 2999-01-01T00:00:00+00:00; make it later.",
    ),
    (
        {"catch_up_limit": 0},
        "catch_up_limit",
        "catch_up_limit 0 is outside 1 to 10,000. To run no missed slot, choose catch_up skip.",
    ),
    ({"priority": 10}, "priority", "priority 10 is outside 0 to 9. Higher goes first."),
    ({"priority": "9"}, "priority", "priority '9' is not a whole number in 0 to 9. Higher goes first."),
    ({"max_attempts": 0}, "max_attempts", "max_attempts 0 is outside 1 to 1,000. 1 means no retry."),
    (
        {"timeout_seconds": 0},
        "timeout_seconds",
        "timeout_seconds 0 is outside 1 to 2,592,000. Empty means the task's own, else 1,800; of an HTTP job the "
        "endpoint's.",
    ),
    (
        {"timeout_seconds": 60, "soft_timeout_seconds": 60},
        "soft_timeout_seconds",
        "The soft limit (60 s) must be below the hard one (60 s), or it never comes. Lower it.",
    ),
    (
        {"starting_deadline_seconds": 0},
        "starting_deadline_seconds",
        "starting_deadline_seconds 0 is outside 1 to 31,622,400. Empty means no deadline.",
    ),
    (
        {"spread_seconds": 86_401},
        "spread_seconds",
        "spread_seconds 86,401 is outside 0 to 86,400. 0 starts every run at its slot.",
    ),
    (
        {"backoff_base_seconds": 10.0, "backoff_cap_seconds": 5.0},
        "backoff_cap_seconds",
        "5 s is outside 10 (the base) to 2,592,000 s (30 days). Raise the cap or lower the base.",
    ),
    (
        {"backoff_base_seconds": float("nan")},
        "backoff_base_seconds",
        "nan s is outside 0 to 2,592,000 s (30 days).",
    ),
    (
        {"concurrency_policy": "queue"},
        "concurrency_policy",
        'concurrency_policy "queue" is unknown; allowed are allow, forbid, replace.',
    ),
    ({"catch_up": "none"}, "catch_up", 'catch_up "none" is unknown; allowed are skip, latest, all.'),
    (
        {"queue": "nowhere"},
        "queue",
        'Queue "nowhere" is not one of jobs.default, jobs.fast, jobs.http. '
        'Choose one, or add it to BEATKEEPER["QUEUES"].',
    ),
    (
        {"task": " "},
        "task",
        "Name the Celery task to run, for example myapp.tasks.report, or choose an endpoint to POST to.",
    ),
    ({"task": "a.b "}, "task", 'Task "a.b " has blanks around its name. Remove them.'),
    ({"task": "a" * 256}, "task", "The task's name has 256 characters; 255 are allowed."),
    ({"args": {"a": 1}}, "args", 'Arguments must be a JSON list such as [1, "a"], not an object.'),
    ({"args": None}, "args", 'Arguments must be a JSON list such as [1, "a"], not null.'),
    ({"args": "[1]"}, "args", 'Arguments must be a JSON list such as [1, "a"], not a text.'),
    ({"kwargs": [1]}, "kwargs", 'Keyword arguments must be a JSON object such as {"key": 1}, not a list.'),
    ({"args": ["\x00"]}, "args", "A text holds the character U+0000, which PostgreSQL cannot store. Remove it."),
    ({"labels": {"tier": 1}}, "labels", 'Labels must be a JSON object of texts such as {"tier": "gold"}.'),
    (
        {"description": "\x00"},
        "description",
        "description holds the character U+0000, which PostgreSQL cannot store. Remove it.",
    ),
    (
        {"description": "\ud800"},
        "description",
        "description holds half of a surrogate pair, which is no character. Remove it.",
    ),
    (
        {"body": {"a": 1}},
        "body",
        "A body is what an endpoint is sent. Choose an endpoint in place of the task, or empty this field.",
    ),
    (
        {"headers": {"X-Team": "billing"}},
        "headers",
        "Headers are what an endpoint is sent. Choose an endpoint in place of the task, or empty this field.",
    ),
    (
        {"endpoint_id": 999_999, "task": ""},
        "endpoint",
        "There is no endpoint 999999. Choose one that is registered.",
    ),
    (
        {"paused_until": FUTURE},
        "paused_until",
        "An end of a pause needs the pause itself: tick paused, or empty this field.",
    ),
    (
        {"paused": True, "paused_until": datetime(2999, 1, 1)},
        "paused_until",
        "2999-01-01 00:00:00 has no offset from UTC. Add one, for example +00:00.",
    ),
]


@pytest.mark.parametrize(("fields", "field", "message"), FAULTS, ids=[f"{f}"[:50] for f, _, _ in FAULTS])
def test_a_fault_is_named_once_at_its_field(fields: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        make_job(**fields)
    assert caught.value.message_dict == {field: [message]}
    assert not Job.objects.exists()


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(ValidationError) as caught:
        make_job(timezone="Europe/Berln")
    assert list(caught.value.message_dict) == ["timezone"]
    assert "Europe/Berln" in caught.value.message_dict["timezone"][0]


def test_a_cron_text_longer_than_its_column_is_a_fault_and_no_crash() -> None:
    with pytest.raises(ValidationError) as caught:
        make_job(cron=",".join(["0", "30"] * 200) + " * * * *")
    assert list(caught.value.message_dict) == ["cron"]


def test_all_faults_are_said_at_once() -> None:
    with pytest.raises(ValidationError) as caught:
        make_job(name="X", cron="* * *", queue="y", args={}, catch_up_limit=0)
    assert set(caught.value.message_dict) == {"name", "cron", "queue", "args", "catch_up_limit"}


CALENDAR = {
    "calendar_every": 1,
    "calendar_unit": "day",
    "anchor_date": date(2026, 1, 1),
    "wall_time": time(9),
}


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"kind": "cron", "cron": ""}, "cron"),
        ({"kind": "interval"}, "interval_seconds"),
        ({"kind": "calendar"}, "calendar_every"),
        ({"kind": "once"}, "once_at"),
        ({"kind": "cron", "interval_seconds": 60}, "interval_seconds"),
        ({"kind": "manual", "cron": "* * * * *"}, "cron"),
        ({"kind": "interval", "interval_seconds": 60, **CALENDAR}, "calendar_every"),
        ({"kind": "once", "once_at": FUTURE, "cron": "* * * * *"}, "cron"),
    ],
)
def test_b131_none_or_two_kinds_of_schedule_are_refused(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError) as caught:
        make_job(**fields)
    assert field in caught.value.message_dict


def test_b131_two_kinds_of_schedule_are_refused_by_the_table_too() -> None:
    """B131, by raw SQL."""
    job = make_job()
    with pytest.raises(IntegrityError, match="job_one_kind"), transaction.atomic():
        Job.objects.filter(pk=job.pk).update(interval_seconds=60)


HTTP_FAULTS: list[tuple[dict[str, Any], str, str]] = [
    (
        {"task": "tests.noop"},
        "endpoint",
        'A job has one target, and this one names the task "tests.noop" too. Empty one of the two.',
    ),
    ({"args": [1]}, "args", "An endpoint takes no args: it is sent the body. Empty this field."),
    ({"kwargs": {"a": 1}}, "kwargs", "An endpoint takes no kwargs: it is sent the body. Empty this field."),
    ({"body": {"a": "{{ order }}"}}, "body", f"{{{{ order }}}} is no placeholder. {PLACEHOLDERS}"),
    (
        {"body": "x" * 131_071},
        "body",
        "The JSON has 131,073 bytes; 131,072 are allowed. Store the data elsewhere and pass a reference.",
    ),
    ({"headers": {"X-Team": 1}}, "headers", 'Headers must be a JSON object of texts such as {"X-Team": "billing"}.'),
    (
        {"headers": {"Authorization": "Bearer s3cr3t"}},
        "headers",
        'Header "Authorization" is a credential, and all who see this page could read it. Enter it under Secret '
        "headers of the endpoint.",
    ),
    (
        {"soft_timeout_seconds": 5},
        "soft_timeout_seconds",
        "An HTTP call has no soft limit: one deadline ends it. Empty this field.",
    ),
    (
        {"timeout_seconds": 3601},
        "timeout_seconds",
        "An HTTP call lasts at most 3,600 s, not 3,601. Let the endpoint take over what lasts longer, and answer at "
        "once.",
    ),
]


@pytest.mark.parametrize(("fields", "field", "message"), HTTP_FAULTS, ids=[f"{f}"[:50] for f, _, _ in HTTP_FAULTS])
def test_a_fault_of_an_http_job_is_named_once_at_its_field(fields: dict[str, Any], field: str, message: str) -> None:
    endpoint = make_endpoint()
    with pytest.raises(ValidationError) as caught:
        make_job(**{"task": "", "endpoint": endpoint, **fields})
    assert caught.value.message_dict == {field: [message]}
    assert not Job.objects.exists()


def test_an_http_job_keeps_body_and_headers() -> None:
    body = [{"run": "{{ run }}", "attempt": "{{attempt}}", "café": None}]
    job = make_job(task="", endpoint=make_endpoint(), body=body, headers={"X-Team": "billing"})
    stored = Job.objects.get(pk=job.pk)
    assert (stored.body, stored.headers) == (body, {"X-Team": "billing"})


def test_a_once_in_the_past_is_refused_when_made() -> None:
    with pytest.raises(ValidationError) as caught:
        make_job(kind="once", once_at=PAST)
    assert caught.value.message_dict == {
        "once_at": ["2020-01-01 00:00:00+00:00 has passed. Choose a later time, or run the job by hand."]
    }


def test_a_once_that_has_passed_meanwhile_can_still_be_edited_elsewhere() -> None:
    job = make_job(kind="once", once_at=FUTURE)
    Job.objects.filter(pk=job.pk).update(once_at=PAST)
    job.refresh_from_db()
    job.description = "the slot is over"
    job.save()
    job.once_at = PAST + timedelta(days=1)
    with pytest.raises(ValidationError, match="has passed"):
        job.save()


def test_a_name_is_taken_while_its_job_lives() -> None:
    make_job(name="report")
    with pytest.raises(ValidationError, match="A job of this name exists"):
        make_job(name="report")
